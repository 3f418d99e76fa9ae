import { BookingAccepted, BookingStatus, Quota } from '@usher/contracts';
import { type Type, type } from 'arktype';
import type { ApiAnswer, ApiCall } from './api-call.ts';
import { DeploymentError } from './errors.ts';

export interface BookingCheckOptions {
  readonly call: ApiCall;
  /** A token of the deployment's issuer. Its account spends one unit of its quota of the day on the check. */
  readonly token: string;
  /** Names the submission; another one for every check. */
  readonly idempotencyKey: string;
  readonly sleep: (ms: number) => Promise<void>;
  /** How often the status is asked for, a second apart. @default 60 */
  readonly maxPolls?: number;
}

export interface CheckedBooking {
  readonly bookingId: string;
  readonly accountId: string;
  readonly decision: 'granted' | 'rejected';
}

/**
 * Submits one reservation through the public URL and waits for its decision.
 *
 * @throws DeploymentError
 */
export async function checkBooking(options: BookingCheckOptions): Promise<CheckedBooking> {
  const { call, token, idempotencyKey } = options;
  expectStatus('GET /health', await call({ method: 'GET', path: '/health' }), 200);
  expectStatus('GET /v1/quota without a token', await call({ method: 'GET', path: '/v1/quota' }), 401);

  const authorization = `Bearer ${token}`;
  const submitted = await call({
    method: 'POST',
    path: '/v1/bookings',
    headers: { authorization, 'idempotency-key': idempotencyKey },
    body: { reservations: [{ id: 'deployment-check' }] },
  });
  const { bookingId } = read('POST /v1/bookings', submitted, { status: 202, body: BookingAccepted });
  const decided = await pollStatus(bookingId, authorization, options);
  const [row] = decided.reservations;
  if (row === undefined) throw new DeploymentError(`Booking ${bookingId} is decided but has no row.`);

  const asked = await call({ method: 'GET', path: '/v1/quota', headers: { authorization } });
  const quota = read('GET /v1/quota', asked, { status: 200, body: Quota });
  if (row.decision === 'granted' && quota.used < row.cost) {
    throw new DeploymentError(`The quota shows ${quota.used} used after booking ${bookingId} was granted ${row.cost}.`);
  }
  return { bookingId, accountId: decided.accountId, decision: row.decision };
}

async function pollStatus(
  bookingId: string,
  authorization: string,
  { call, sleep, maxPolls = 60 }: BookingCheckOptions,
): Promise<BookingStatus> {
  for (let poll = 0; poll < maxPolls; poll++) {
    const answer = await call({ method: 'GET', path: `/v1/bookings/${bookingId}`, headers: { authorization } });
    const status = read('GET /v1/bookings/<id>', answer, { status: 200, body: BookingStatus });
    if (status.status === 'decided') return status;
    await sleep(1000);
  }
  throw new DeploymentError(
    `Booking ${bookingId} was accepted but is not decided after ${maxPolls} s: look at the worker's log, at the event ` +
      'source of the bookings queue, and at its dead-letter queue.',
  );
}

function read<T extends Type>(
  what: string,
  answer: ApiAnswer,
  expected: { readonly status: number; readonly body: T },
): T['infer'] {
  expectStatus(what, answer, expected.status);
  const body = expected.body(answer.body);
  if (body instanceof type.errors)
    throw new DeploymentError(`${what} answered a body that is not Usher's: ${body.summary}`);
  return body;
}

function expectStatus(what: string, { status, body }: ApiAnswer, expected: number): void {
  if (status === expected) return;
  const answer = (typeof body === 'string' ? body : JSON.stringify(body)).slice(0, 500);
  throw new DeploymentError(`${what} answered ${status} instead of ${expected}: ${answer}`);
}
