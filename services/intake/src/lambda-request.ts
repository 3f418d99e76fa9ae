import { RequestId } from '@usher/contracts';
import { type } from 'arktype';

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/** The fields of an HTTP API's event (payload format 2.0) that intake reads. Cookies mean nothing to it. */
const HttpApiEvent = type({
  version: "'2.0'",
  rawPath: type(/^\//).describe('a path'),
  'rawQueryString?': 'string',
  'headers?': type({ '[string]': 'string' })
    .narrow((headers) => Object.keys(headers).every((name) => token.test(name)))
    .describe('headers'),
  'body?': 'string | null',
  'isBase64Encoded?': 'boolean',
  requestContext: {
    'requestId?': 'string',
    /** Of any other stage the name stands before every path, and would be missing in every Location. */
    'stage?': "'$default'",
    http: { method: type(token).describe('a method') },
  },
});
type HttpApiEvent = typeof HttpApiEvent.infer;

/** An event that is no request: its wrong fields, by name and expectation. Never their values. */
export interface NotUnderstood {
  readonly kind: 'not understood';
  readonly problem: string;
}

/** A request and the id that API Gateway gave it. */
export interface LambdaRequest {
  readonly kind: 'request';
  readonly request: Request;
  readonly requestId: string | undefined;
}

/**
 * The request that an event stands for, as Node's own server would have read it: both hosts decide on the same.
 *
 * Own code, since hono/aws-lambda reads events of four kinds, drops empty headers, escapes others (a key beyond ASCII
 * became another key), and answers by itself what no Request can be made of.
 */
export function requestOf(event: unknown): LambdaRequest | NotUnderstood {
  const read = HttpApiEvent(event);
  if (read instanceof type.errors) {
    const fields = read.map((error) => `${error.path.stringify()} must be ${error.expected}`);
    return { kind: 'not understood', problem: fields.join('; ') };
  }
  const { rawPath, rawQueryString = '', requestContext } = read;
  const { requestId, http } = requestContext;
  const url = `https://intake${escaped(rawPath)}${rawQueryString === '' ? '' : `?${rawQueryString}`}`;
  return {
    kind: 'request',
    request: madeRequest(url, http.method, headersOf(read), bodyOf(read)),
    requestId: RequestId.allows(requestId) ? requestId : undefined,
  };
}

// API Gateway has undone a path's escapes. A character that cannot stand in a path was escaped, and is escaped again.
function escaped(path: string): string {
  return path.toWellFormed().replaceAll(/[^A-Za-z0-9._~!$&'()*+,;=:@%/-]/gu, encodeURIComponent);
}

function headersOf({ headers: given = {}, body }: HttpApiEvent): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    // Appended, so that names which differ in case only are one header. On the wire, text beyond ASCII is bytes. What no
    // header can hold becomes DEL: a space would be trimmed at either end, and one key be taken for another.
    headers.append(name, Buffer.from(value.replaceAll(/[\0\r\n]/g, '\x7f'), 'utf8').toString('latin1'));
  }
  // These tell how the body came to API Gateway. It is here by now, or there is none.
  headers.delete('transfer-encoding');
  headers.delete('content-length');
  if (body !== undefined && body !== null && body !== '') headers.set('content-length', String(body.length));
  return headers;
}

/** The bytes of a body; undefined for none, `broken` where the text or its base64 is malformed. */
function bodyOf({ body, isBase64Encoded = false }: HttpApiEvent): Uint8Array<ArrayBuffer> | 'broken' | undefined {
  if (body === undefined || body === null || body === '') return undefined;
  if (!isBase64Encoded) return body.isWellFormed() ? new TextEncoder().encode(body) : 'broken';
  const bytes = Buffer.from(body, 'base64');
  return bytes.toString('base64') === body ? new Uint8Array(bytes) : 'broken';
}

/** Methods that fetch's Request gives no body, or does not take at all. The app has to see them to refuse them. */
const bodiless = /^(GET|HEAD)$/i;
const unknownToFetch = /^(CONNECT|TRACE|TRACK)$/i;

function madeRequest(url: string, method: string, headers: Headers, body: ReturnType<typeof bodyOf>): Request {
  if (unknownToFetch.test(method))
    return Object.defineProperty(new Request(url, { headers }), 'method', { value: method });
  if (body === undefined || bodiless.test(method)) return new Request(url, { method, headers });
  // Fetch demands `duplex` of every body that is a stream.
  const init = { method, headers, duplex: 'half' as const, body: body === 'broken' ? brokenStream() : body };
  return new Request(url, init);
}

/** A body that cannot be read: to the app it is one that was cut off. */
function brokenStream(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.error(new TypeError('The body cannot be decoded')) });
}
