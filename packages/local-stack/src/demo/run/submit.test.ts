import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { type BookingAccepted, problemOf } from '@usher/contracts';
import { afterEach, describe, expect, test } from 'vitest';
import { listen, urlOf } from '../../endpoints/loopback.ts';
import { SubmissionRefusedError } from '../../errors.ts';
import type { BulkBooking } from '../input/booking-file.ts';
import { inLanes, submitAll } from './submit.ts';

interface Sent {
  readonly accountId: string;
  readonly key: string;
  readonly body: unknown;
}

type Answer = readonly [status: number, body: unknown, headers?: Record<string, string>];

const accepted: BookingAccepted = {
  bookingId: `bk_${'a'.repeat(35)}`,
  acceptedAt: '2026-11-29T12:00:00.000Z',
  window: {
    date: '2026-11-29',
    timezone: 'UTC',
    startsAt: '2026-11-29T00:00:00.000Z',
    resetsAt: '2026-11-30T00:00:00.000Z',
  },
  reservations: 1,
  chunks: 1,
};

function booking(accountId: string, idempotencyKey: string): BulkBooking {
  return { accountId, idempotencyKey, reservations: [{ id: 'r1', cost: 2 }] };
}

describe('submitting', () => {
  const closers: (() => void)[] = [];

  afterEach(() => {
    for (const close of closers.splice(0)) close();
  });

  /** An API that answers as told, and keeps what it was sent. */
  async function api(
    answer: (sent: Sent, n: number) => Answer | Promise<Answer>,
  ): Promise<{ url: string; sent: Sent[] }> {
    const sent: Sent[] = [];
    const server = createServer(async (request, response) => {
      const one = {
        accountId: String(request.headers.authorization).replace('Bearer dev:', ''),
        key: String(request.headers['idempotency-key']),
        body: JSON.parse(await text(request)),
      };
      sent.push(one);
      const [status, body, headers] = await answer(one, sent.length);
      response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    await listen(server, 0);
    closers.push(() => {
      server.close();
      server.closeAllConnections();
    });
    return { url: urlOf(server), sent };
  }

  /** Submits without waiting, and tells how long it would have waited. */
  async function submit(url: string, bookings: readonly BulkBooking[], signal = new AbortController().signal) {
    const pauses: number[] = [];
    const waits: string[] = [];
    let rows = 0;
    const submitted = await submitAll(url, bookings, {
      concurrency: 4,
      patience: { signal, pause: async (ms) => void pauses.push(ms) },
      onAccepted: (more) => {
        rows += more;
      },
      onWait: (what, seconds) => void waits.push(`${what}, ${seconds} s`),
    });
    return { submitted, pauses, rows, waits };
  }

  test('sends each booking under its key and returns it with its id', async () => {
    const { url, sent } = await api(() => [202, accepted]);
    const { submitted, pauses, rows } = await submit(url, [booking('a', 'k1')]);
    expect(sent).toEqual([{ accountId: 'a', key: 'k1', body: { reservations: [{ id: 'r1', cost: 2 }] } }]);
    expect(submitted).toEqual([{ ...booking('a', 'k1'), bookingId: accepted.bookingId }]);
    expect({ pauses, rows }).toEqual({ pauses: [], rows: 1 });
  });

  test("sends an account's bookings one after another, and accounts at once", async () => {
    const running = new Map<string, number>();
    let most = 0;
    const bothCame = Promise.withResolvers<void>();
    const { url, sent } = await api(async ({ accountId }) => {
      running.set(accountId, (running.get(accountId) ?? 0) + 1);
      most = Math.max(most, ...running.values());
      if (running.size === 2) bothCame.resolve();
      await bothCame.promise;
      running.set(accountId, (running.get(accountId) ?? 0) - 1);
      return [202, accepted];
    });
    await submit(url, [booking('a', 'k1'), booking('a', 'k2'), booking('b', 'k1'), booking('a', 'k3')]);
    expect(most).toBe(1);
    expect(sent.filter(({ accountId }) => accountId === 'a').map(({ key }) => key)).toEqual(['k1', 'k2', 'k3']);
  });

  test.each([
    [409, 'booking-busy', 'another request for the same booking'],
    [429, 'submission-limit-exceeded', 'the submission limiter'],
    [503, 'unavailable', 'the API'],
  ] as const)('sends the same again under the same key after %d, when told to', async (status, name, waited) => {
    const { url, sent } = await api((_, n) =>
      n < 3 ? [status, problemOf(name, 'Later.'), { 'Retry-After': String(n * 2) }] : [202, accepted],
    );
    const { pauses, rows, waits } = await submit(url, [booking('a', 'k1')]);
    expect(pauses).toEqual([2000, 4000]);
    expect(waits).toEqual([`${waited}, 2 s`, `${waited}, 4 s`]);
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(rows).toBe(1);
  });

  test('waits a second where it is not told how long', async () => {
    const { url } = await api((_, n) => (n === 1 ? [503, ''] : [202, accepted]));
    expect((await submit(url, [booking('a', 'k1')])).pauses).toEqual([1000]);
  });

  test('gives up a booking that is put off again and again', async () => {
    const { url, sent } = await api(() => [503, problemOf('unavailable', 'The queue did not answer.')]);
    await expect(submit(url, [booking('a', 'k1')])).rejects.toThrow(
      new SubmissionRefusedError('Booking k1 of a was answered 503: The queue did not answer.'),
    );
    expect(sent).toHaveLength(60);
  });

  test('fails with what the API says where it refuses', async () => {
    const errors = [
      { pointer: '/reservations/0/id', detail: 'must be a string' },
      { pointer: '/mode', detail: 'must be partial' },
    ];
    const { url } = await api(() => [
      422,
      problemOf('invalid-body', 'The body has invalid fields.', { errors, errorCount: 2 }),
    ]);
    const submitting = submit(url, [booking('a', 'k1')]);
    await expect(submitting).rejects.toThrow(SubmissionRefusedError);
    await expect(submitting).rejects.toThrow(
      'Booking k1 of a was answered 422: The body has invalid fields. /reservations/0/id must be a string; /mode must be partial',
    );
  });

  test('fails with the status where the answer is no problem document', async () => {
    const { url } = await api(() => [421, 'Only loopback names are answered.']);
    await expect(submit(url, [booking('a', 'k1')])).rejects.toThrow(
      new SubmissionRefusedError('Booking k1 of a was answered 421'),
    );
  });

  test('ends when it is interrupted', async () => {
    const stopping = new AbortController();
    const { url } = await api(() => {
      stopping.abort(new Error('interrupted'));
      return new Promise(() => {});
    });
    await expect(submit(url, [booking('a', 'k1')], stopping.signal)).rejects.toThrow('interrupted');
  });
});

describe('lanes', () => {
  test('work off every item once, no more at once than there are lanes', async () => {
    const items = Array.from({ length: 20 }, (_, i) => i);
    const seen: number[] = [];
    let running = 0;
    let most = 0;
    await inLanes(items, 3, async (item) => {
      running += 1;
      most = Math.max(most, running);
      await Promise.resolve();
      seen.push(item);
      running -= 1;
    });
    expect(seen.toSorted((a, b) => a - b)).toEqual(items);
    expect(most).toBe(3);
  });

  test('pass a failure on', async () => {
    await expect(
      inLanes([1, 2], 2, async (item) => {
        if (item === 2) throw new Error('two');
      }),
    ).rejects.toThrow('two');
  });
});
