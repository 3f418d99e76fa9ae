import { createServer } from 'node:http';
import type { BookingStatus, DecidedReservation } from '@usher/contracts';
import { problemOf } from '@usher/contracts';
import { afterEach, describe, expect, test } from 'vitest';
import { listen, urlOf } from '../../endpoints/loopback.ts';
import { UndecidedError } from '../../errors.ts';
import { awaitDecisions } from './decisions.ts';
import type { SubmittedBooking } from './submit.ts';

const bookingId = `bk_${'a'.repeat(35)}`;
const submitted: SubmittedBooking = {
  accountId: 'a',
  idempotencyKey: 'k1',
  bookingId,
  reservations: [
    { id: 'r1', cost: 2 },
    { id: 'r2', cost: 3 },
  ],
};
const [r1, r2]: DecidedReservation[] = [
  { id: 'r1', decision: 'granted', cost: 2, dispatchAt: '2026-11-29T12:00:00.000Z' },
  { id: 'r2', decision: 'rejected', cost: 3, reason: 'daily_quota_exceeded' },
];

function page(
  status: BookingStatus['status'],
  rows: (DecidedReservation | undefined)[],
  nextCursor?: string,
): BookingStatus {
  return {
    bookingId,
    accountId: 'a',
    acceptedAt: '2026-11-29T12:00:00.000Z',
    mode: 'partial',
    window: {
      date: '2026-11-29',
      timezone: 'UTC',
      startsAt: '2026-11-29T00:00:00.000Z',
      resetsAt: '2026-11-30T00:00:00.000Z',
    },
    status,
    counts: { total: 2, granted: 1, rejected: 1, pending: 0 },
    reservations: rows.flatMap((row) => (row ? [row] : [])),
    ...(nextCursor === undefined ? {} : { nextCursor }),
  };
}

describe('waiting for decisions', () => {
  const closers: (() => void)[] = [];

  afterEach(() => {
    for (const close of closers.splice(0)) close();
  });

  async function api(answer: (path: string, n: number) => readonly [number, object]): Promise<string> {
    let n = 0;
    const server = createServer((request, response) => {
      n += 1;
      const [status, body] = answer(request.url ?? '', n);
      response.writeHead(status).end(JSON.stringify(body));
    });
    await listen(server, 0);
    closers.push(() => {
      server.close();
      server.closeAllConnections();
    });
    return urlOf(server);
  }

  async function decide(url: string, bookings: readonly SubmittedBooking[] = [submitted]) {
    let pauses = 0;
    const rows: number[] = [];
    const decided = await awaitDecisions(url, bookings, {
      concurrency: 2,
      patience: {
        signal: new AbortController().signal,
        pause: async () => {
          pauses += 1;
        },
      },
      onDecided: (more) => void rows.push(more),
    });
    return { decided, pauses, rows };
  }

  test('asks again while a booking is not decided, or cannot be read', async () => {
    const answers = [
      [200, page('accepting', [])],
      [200, page('pending', [r1], '1')],
      [503, problemOf('unavailable', 'The table did not answer.')],
      [429, problemOf('request-limit-exceeded', 'Later.')],
      [200, page('decided', [r1, r2])],
    ] as const;
    const url = await api((_, n) => answers[n - 1] ?? [500, {}]);
    expect(await decide(url)).toEqual({
      decided: [
        {
          ...submitted,
          acceptedAt: '2026-11-29T12:00:00.000Z',
          resetsAt: '2026-11-30T00:00:00.000Z',
          decisions: [r1, r2],
        },
      ],
      pauses: 4,
      rows: [2],
    });
  });

  test('reads every page', async () => {
    const paths: string[] = [];
    const url = await api((path) => {
      paths.push(path);
      return [200, path.includes('cursor') ? page('decided', [r2]) : page('decided', [r1], '1')];
    });
    expect((await decide(url)).decided[0]?.decisions).toEqual([r1, r2]);
    expect(paths).toEqual([`/v1/bookings/${bookingId}`, `/v1/bookings/${bookingId}?cursor=1`]);
  });

  test('gives up after a minute without a single decision', async () => {
    const url = await api(() => [200, page('pending', [])]);
    const deciding = decide(url);
    await expect(deciding).rejects.toThrow(UndecidedError);
    await expect(deciding).rejects.toThrow('1 bookings stay undecided: nothing was decided for 60 s');
  });

  test('fails on an answer that is none', async () => {
    const url = await api(() => [200, { status: 'decided' }]);
    await expect(decide(url)).rejects.toThrow('bookingId');
  });
});
