import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { BookingAccepted, BookingStatus } from '@usher/contracts';
import { type } from 'arktype';
import { endpoint, outputs } from './deployment.ts';
import { type Claims, tokenOf } from './tokens.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const agent = new Agent({ keepAlive: true });
const timeoutMs = 30_000;

/** Calls the API by the URL that the stack printed, whose host only the emulator knows. */
export function call(path: string, { method = 'GET', headers = {}, body }: Call = {}): Promise<Answer> {
  const { host } = new URL(outputs.ApiUrl);
  return new Promise((resolve, reject) => {
    const options = { agent, method, timeout: timeoutMs, headers: { host, ...headers } };
    const sent = request(new URL(path, endpoint), options, (message) => {
      const { statusCode: status = 0, headers: answered } = message;
      text(message).then((content) => resolve({ status, headers: answered, body: content }), reject);
    });
    sent.on('timeout', () => sent.destroy(new Error(`No answer within ${timeoutMs / 1000} s`)));
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Calls the API as a partner. */
export async function callAs(accountId: string, path: string, options: Call = {}, claims?: Claims): Promise<Answer> {
  const authorization = `Bearer ${await tokenOf(accountId, claims)}`;
  return call(path, { ...options, headers: { authorization, ...options.headers } });
}

/** Submits a booking as a partner. */
export function submit(accountId: string, key: string, body: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  return callAs(accountId, '/v1/bookings', { method: 'POST', headers, body });
}

const acceptedBody = type('string.json.parse').to(BookingAccepted);
const statusBody = type('string.json.parse').to(BookingStatus);

/** The body of a 202; throws at any other status. */
export function acceptedOf({ status, body }: Answer): BookingAccepted {
  if (status !== 202) throw new Error(`Answered ${status} instead of 202: ${body}`);
  return acceptedBody.assert(body);
}

/** A booking's status with all rows that are decided, page by page. */
export async function readStatus(accountId: string, bookingId: string): Promise<BookingStatus> {
  const rows: BookingStatus['reservations'] = [];
  let cursor = '';
  for (;;) {
    const answer = await callAs(accountId, `/v1/bookings/${bookingId}${cursor}`);
    if (answer.status !== 200) throw new Error(`Answered ${answer.status} instead of 200: ${answer.body}`);
    const page = statusBody.assert(answer.body);
    rows.push(...page.reservations);
    if (page.status !== 'decided' || page.nextCursor === undefined) return { ...page, reservations: rows };
    cursor = `?cursor=${page.nextCursor}`;
  }
}
