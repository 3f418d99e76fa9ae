import { expect, test } from 'vitest';
import type { ApiAnswer, ApiRequest } from './api-call.ts';
import { type CheckedBooking, checkBooking } from './check-booking.ts';
import { DeploymentError } from './errors.ts';

const bookingId = `bk_${'a'.repeat(35)}`;
const window = {
  date: '2026-11-29',
  timezone: 'UTC',
  startsAt: '2026-11-29T00:00:00.000Z',
  resetsAt: '2026-11-30T00:00:00.000Z',
};
const at = '2026-11-29T12:00:00.000Z';
const policy = { dailyLimit: 1000, refillPerSecond: 10, burst: 20, timezone: 'UTC', mode: 'enforce', thresholds: [1] };

function status(state: 'pending' | 'decided'): unknown {
  const isDecided = state === 'decided';
  return {
    bookingId,
    accountId: 'ada',
    acceptedAt: at,
    mode: 'partial',
    window,
    status: state,
    counts: { total: 1, granted: isDecided ? 1 : 0, rejected: 0, pending: isDecided ? 0 : 1 },
    reservations: isDecided ? [{ id: 'deployment-check', decision: 'granted', cost: 1, dispatchAt: at }] : [],
  };
}

type Answers = Readonly<Record<string, ApiAnswer>>;
const right: Answers = {
  'GET /health': { status: 200, body: { status: 'ok' } },
  'GET /v1/quota without': { status: 401, body: { message: 'Unauthorized' } },
  'POST /v1/bookings': { status: 202, body: { bookingId, acceptedAt: at, window, reservations: 1, chunks: 1 } },
  [`GET /v1/bookings/${bookingId}`]: { status: 200, body: status('decided') },
  'GET /v1/quota': {
    status: 200,
    body: { accountId: 'ada', window, limit: 1000, used: 5, remaining: 995, rejected: 0, policy },
  },
};

interface World {
  readonly answers?: Answers;
  /** The usage that each booking adds to the quota. @default 1 */
  readonly adds?: number;
  /** The answers of `pending` that the first and the second booking get. */
  readonly pending?: readonly [number, number];
}

/** Runs the check against an API that answers as told. */
async function check({ answers = {}, adds = 1, pending = [0, 0] }: World = {}): Promise<{
  result: CheckedBooking;
  sent: ApiRequest[];
}> {
  const all = { ...right, ...answers };
  const sent: ApiRequest[] = [];
  const left = [...pending];
  const result = await checkBooking({
    call: async (request) => {
      sent.push(request);
      const key = `${request.method} ${request.path}`;
      const current = sent.filter(({ method }) => method === 'POST').length - 1;
      if (key.endsWith(bookingId)) {
        left[current] = (left[current] ?? 0) - 1;
        if ((left[current] ?? 0) >= 0) return { status: 200, body: status('pending') };
      }
      const isAnonymous = key === 'GET /v1/quota' && request.headers?.authorization === undefined;
      if (key === 'GET /v1/quota' && !isAnonymous && !('GET /v1/quota' in answers)) {
        const quota = { ...Object(all[key]?.body), used: 5 + adds * (current + 1) };
        return { status: 200, body: quota };
      }
      return all[isAnonymous ? `${key} without` : key] ?? { status: 404, body: '' };
    },
    token: 'token-1',
    idempotencyKey: 'check-1',
    sleep: async () => {},
    maxPolls: 3,
  });
  return { result, sent };
}

test('two bookings that are accepted, decided and read back are a working deployment', async () => {
  const { result, sent } = await check({ pending: [2, 1] });
  expect(result).toEqual({ bookingId, accountId: 'ada', decision: 'granted' });
  const submission = (key: string): ApiRequest => ({
    method: 'POST',
    path: '/v1/bookings',
    headers: { authorization: 'Bearer token-1', 'idempotency-key': key },
    body: { reservations: [{ id: 'deployment-check' }] },
  });
  expect(sent.filter(({ method }) => method === 'POST')).toEqual([submission('check-1-1'), submission('check-1-2')]);
});

test('a booking that nobody decides is told with where to look', async () => {
  await expect(check({ pending: [99, 0] })).rejects.toThrow(/is not decided after 3 s: look at the worker's log/);
});

test('a decision whose events or dispatch are not taken is found out by the booking behind it', async () => {
  await expect(check({ pending: [0, 99] })).rejects.toThrow(/its events or its dispatch were not taken/);
});

test('an API that answers without a token is found out', async () => {
  const open = check({ answers: { 'GET /v1/quota without': { status: 200, body: {} } } });
  await expect(open).rejects.toThrow('GET /v1/quota without a token answered 200 instead of 401');
});

test('a token that the authorizer refuses is told with its answer', async () => {
  const refused = check({ answers: { 'POST /v1/bookings': { status: 401, body: { message: 'Unauthorized' } } } });
  await expect(refused).rejects.toThrow(DeploymentError);
  await expect(refused).rejects.toThrow('POST /v1/bookings answered 401 instead of 202: {"message":"Unauthorized"}');
});

test('an answer that is not of the contract is refused by its field', async () => {
  const odd = check({ answers: { 'POST /v1/bookings': { status: 202, body: { bookingId: 'x' } } } });
  await expect(odd).rejects.toThrow(/a body that is not Usher's: .*bookingId/s);
});

test('a grant that the quota does not show is found out', async () => {
  await expect(check({ adds: 0 })).rejects.toThrow('The quota shows 5 used, then 5 after 2 more were granted.');
});
