import { BookingAccepted, BookingStatus, Quota } from '@usher/contracts';
import { type Type, type } from 'arktype';
import type { ApiAnswer, ApiCall } from './api-call.ts';
import { DeploymentError } from './errors.ts';

export interface BookingCheckOptions {
  readonly call: ApiCall;
  /** A token of the deployment's issuer. Its account spends two units of its quota of the day on the check. */
  readonly token: string;
  /** The name of the check's submissions; another one for every check. */
  readonly idempotencyKey: string;
  readonly sleep: (ms: number) => Promise<void>;
  /** The most questions for the status, a second apart. @default 60 */
  readonly maxPolls?: number;
}

export interface CheckedBooking {
  readonly bookingId: string;
  readonly accountId: string;
  readonly decision: 'granted' | 'rejected';
}

/**
 * Submits two bookings of one reservation, one after the other, through the public URL and waits for their decisions.
 * Two, because a decision alone does not tell that its events and its dispatch were taken: where they were not, the
 * chunk stays in the queue for another try, and nothing of its account is decided until then.
 *
 * @throws DeploymentError
 */
export async function checkBooking(options: BookingCheckOptions): Promise<CheckedBooking> {
  const { call } = options;
  expectStatus('GET /health', await call({ method: 'GET', path: '/health' }), 200);
  expectStatus('GET /v1/quota without a token', await call({ method: 'GET', path: '/v1/quota' }), 401);

  const before = await readQuota(options);
  const first = await submit(options, '1');
  const booking = await pollStatus(first, options, lookForDecision);
  const second = await submit(options, '2');
  const secondBooking = await pollStatus(second, options, lookForHandover(first));

  const [row] = booking.reservations;
  if (row === undefined) throw new DeploymentError(`Booking ${first} is decided but has no row.`);
  // Others may use the account meanwhile, and a day may end: usage of one day has grown by what was granted, or more.
  const after = await readQuota(options);
  const granted = [booking, secondBooking]
    .filter(({ window }) => window.date === after.window.date)
    .flatMap(({ reservations }) => reservations)
    .reduce((sum, { decision, cost }) => (decision === 'granted' ? sum + cost : sum), 0);
  const was = before.window.date === after.window.date ? before.used : 0;
  if (after.used < was + granted) {
    throw new DeploymentError(`The quota shows ${was} used, then ${after.used} after ${granted} more were granted.`);
  }
  return { bookingId: first, accountId: booking.accountId, decision: row.decision };
}

async function readQuota({ call, token }: BookingCheckOptions): Promise<Quota> {
  const answer = await call({ method: 'GET', path: '/v1/quota', headers: { authorization: `Bearer ${token}` } });
  return read('GET /v1/quota', answer, { status: 200, body: Quota });
}

const lookForDecision =
  "look at the worker's log, at the event source of the bookings queue, and at its dead-letter queue.";
const lookForHandover = (first: string): string =>
  `booking ${first} was decided but is still in the queue, so its events or its dispatch were not taken: look ` +
  "for warnings in the worker's log, at the bus, and at the dispatch queue.";

async function submit({ call, token, idempotencyKey }: BookingCheckOptions, part: string): Promise<string> {
  const submitted = await call({
    method: 'POST',
    path: '/v1/bookings',
    headers: { authorization: `Bearer ${token}`, 'idempotency-key': `${idempotencyKey}-${part}` },
    body: { reservations: [{ id: 'deployment-check' }] },
  });
  return read('POST /v1/bookings', submitted, { status: 202, body: BookingAccepted }).bookingId;
}

async function pollStatus(
  bookingId: string,
  { call, token, sleep, maxPolls = 60 }: BookingCheckOptions,
  whereToLook: string,
): Promise<BookingStatus> {
  for (let poll = 0; poll < maxPolls; poll++) {
    const answer = await call({
      method: 'GET',
      path: `/v1/bookings/${bookingId}`,
      headers: { authorization: `Bearer ${token}` },
    });
    const status = read('GET /v1/bookings/<id>', answer, { status: 200, body: BookingStatus });
    if (status.status === 'decided') return status;
    await sleep(1000);
  }
  throw new DeploymentError(`Booking ${bookingId} was accepted but is not decided after ${maxPolls} s: ${whereToLook}`);
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
