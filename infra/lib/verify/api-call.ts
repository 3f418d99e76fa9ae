import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';

export interface ApiRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface ApiAnswer {
  readonly status: number;
  /** Parsed JSON; the text itself where it is none. */
  readonly body: unknown;
}

/** Calls the deployed API. */
export type ApiCall = (request: ApiRequest) => Promise<ApiAnswer>;

const timeoutMs = 30_000;

/**
 * Makes calls to an API's URL.
 *
 * @param through where to connect to instead of the URL's own host, which is then sent as `Host` only: an emulator
 *   tells its APIs apart by names that no resolver knows
 */
export function apiCall(apiUrl: string, through?: string): ApiCall {
  const api = new URL(apiUrl);
  const target = through === undefined ? api : new URL(through);
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
  return ({ method, path, headers = {}, body }) =>
    new Promise((resolve, reject) => {
      const payload = body === undefined ? undefined : JSON.stringify(body);
      const sent = send(
        new URL(path, target),
        {
          method,
          timeout: timeoutMs,
          headers: {
            host: api.host,
            ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
        },
        (answer) => {
          text(answer).then((content) => resolve({ status: answer.statusCode ?? 0, body: parsed(content) }), reject);
        },
      );
      sent.on('timeout', () => sent.destroy(new Error(`No answer within ${timeoutMs / 1000} s`)));
      sent.on('error', reject);
      sent.end(payload);
    });
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}
