import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { BookingAccepted, HeaderItem, Problem } from '@usher/contracts';
import { virtualClock } from '@usher/limiter-core';
import { expect, test } from 'vitest';
import { bookingIdOf } from './booking-id.ts';
import { takeAll } from './testing/scripted-queue.ts';
import { noon, rows, startIntake, type TestIntake } from './testing/start-intake.ts';

const booking = { reservations: [{ id: 'A-17', cost: 2, details: { flight: 'LH 400' } }, { id: 'A-18' }] };
const dayMs = 86_400_000;

async function accepted(response: Response): Promise<BookingAccepted> {
  expect(response.status).toBe(202);
  return BookingAccepted.assert(await response.json());
}

async function problem(response: Response): Promise<string> {
  return Problem.assert(await response.json()).type;
}

async function headers(intake: TestIntake): Promise<HeaderItem[]> {
  const items = await intake.table.items();
  return items.filter(({ sk }) => sk === 'header').map((item) => HeaderItem.assert(item));
}

test('a booking is answered 202 with its window, and its chunk is queued in the group of its account', async () => {
  const intake = await startIntake();
  const response = await intake.submit(booking);
  const answer = await accepted(response);
  const bookingId = bookingIdOf('acme', 'key-1');
  expect(answer).toEqual({
    bookingId,
    acceptedAt: noon,
    window: {
      date: '2026-11-29',
      timezone: 'UTC',
      startsAt: '2026-11-29T00:00:00.000Z',
      resetsAt: '2026-11-30T00:00:00.000Z',
    },
    reservations: 2,
    chunks: 1,
  });
  expect(response.headers.get('location')).toBe(`/v1/bookings/${bookingId}`);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.has('idempotency-replayed')).toBe(false);
  expect(intake.queue.chunks()).toEqual([
    {
      v: 1,
      kind: 'chunk',
      bookingId,
      chunk: 0,
      chunks: 1,
      accountId: 'acme',
      acceptedAt: noon,
      window: answer.window,
      mode: 'partial',
      reservations: [
        { id: 'A-17', cost: 2, details: { flight: 'LH 400' } },
        { id: 'A-18', cost: 1 },
      ],
    },
  ]);
  expect(intake.queue.calls[0]?.[0]).toMatchObject({
    MessageGroupId: 'acme',
    MessageDeduplicationId: `${bookingId}#0`,
  });
  expect(await headers(intake)).toMatchObject([
    { bookingId, accountId: 'acme', total: 2, chunks: 1, state: 'accepted' },
  ]);
});

test('the window is the local day of the account, by its stored policy', async () => {
  const intake = await startIntake();
  intake.clock.advance(4.5 * 3_600_000);
  await intake.table.client.send(
    new PutCommand({
      TableName: 'usher',
      Item: { pk: 'account#acme', sk: 'policy', policy: { timezone: 'Asia/Shanghai' } },
    }),
  );
  const { window } = await accepted(await intake.submit(booking));
  expect(window).toMatchObject({ date: '2026-11-30', timezone: 'Asia/Shanghai', resetsAt: '2026-11-30T16:00:00.000Z' });
});

test('a repeat is answered while the policy of its account cannot be read; a new booking has to wait', async () => {
  const intake = await startIntake();
  const first = await accepted(await intake.submit(booking));
  const unreadable = { pk: 'account#acme', sk: 'policy', policy: { dailyLimit: -1 } };
  await intake.table.client.send(new PutCommand({ TableName: 'usher', Item: unreadable }));
  intake.clock.advance(60_000);
  expect(await accepted(await intake.submit(booking))).toEqual(first);
  expect((await intake.submit(booking, { key: 'another' })).status).toBe(503);
});

test('account ids that are names of Object.prototype are accounts like any other', async () => {
  const intake = await startIntake();
  for (const account of ['__proto__', 'constructor']) {
    const { bookingId } = await accepted(await intake.submit(booking, { account }));
    expect((await intake.fetch(`/v1/bookings/${bookingId}`, { account })).status).toBe(200);
    expect((await intake.fetch('/v1/quota', { account })).status).toBe(200);
  }
});

test('case 26: the same key and payload six minutes later get the original answer and queue nothing', async () => {
  const intake = await startIntake();
  const first = await accepted(await intake.submit(booking));
  intake.clock.advance(6 * 60_000);
  const again = await intake.submit(booking);
  expect(await accepted(again)).toEqual(first);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(intake.queue.calls.length).toBe(1);
  expect((await headers(intake)).length).toBe(1);
});

test('a payload is recognised by its meaning: white space, order of keys and spelled-out defaults do not matter', async () => {
  const intake = await startIntake();
  await accepted(await intake.submit(booking));
  const spelled = `{ "reservations" : [ {"details":{"flight":"LH 4\\u00300"},"cost":2.0,"id":"A-17"},
    {"cost":1,"id":"A-18"} ], "mode":"partial" }`;
  const again = await intake.submit(spelled);
  expect(again.status).toBe(202);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
});

test('a key used with another payload is refused and changes nothing', async () => {
  const intake = await startIntake();
  await accepted(await intake.submit(booking));
  const before = await intake.table.items();
  intake.clock.advance(60_000);
  const response = await intake.submit({ reservations: [{ id: 'A-17', cost: 3 }] });
  expect(response.status).toBe(422);
  const earlier = { bookingId: bookingIdOf('acme', 'key-1'), acceptedAt: noon };
  const told = Problem.assert(await response.json());
  expect(told).toMatchObject({ type: '/problems/idempotency-key-reused', booking: earlier });
  expect(told.detail).toContain(`${earlier.bookingId}, accepted at ${noon}`);
  expect(await intake.table.items()).toEqual(before);
  expect(intake.queue.calls.length).toBe(1);
});

test('one key names different bookings of different accounts', async () => {
  const intake = await startIntake();
  const ours = await accepted(await intake.submit(booking));
  const theirs = await accepted(await intake.submit({ reservations: rows(1) }, { account: 'other' }));
  expect(theirs.bookingId).not.toBe(ours.bookingId);
});

test('case 31: the header is put, the reply is lost, the SDK tries again: its own creator is answered 202', async () => {
  const intake = await startIntake();
  let cut = 0;
  intake.fault((command) => (command === 'PutItemCommand' && ++cut === 1 ? 'reply lost' : undefined));
  await accepted(await intake.submit(booking));
  expect(cut).toBe(2);
  expect(intake.queue.chunks().length).toBe(1);
});

test('a take-over whose reply is lost is recognised as its own', async () => {
  const intake = await startIntake();
  intake.queue.answer(() => new Error('down'));
  expect((await intake.submit(booking)).status).toBe(503);
  intake.queue.answer(takeAll);
  let cut = 0;
  intake.fault((command, input) =>
    command === 'UpdateItemCommand' && 'UpdateExpression' in input && ++cut === 1 ? 'reply lost' : undefined,
  );
  await accepted(await intake.submit(booking));
  expect(cut).toBeGreaterThan(1);
});

test('the same key is busy while its first submission is being enqueued', async () => {
  const intake = await startIntake();
  let second: Response | undefined;
  intake.queue.answer(async (ids) => {
    intake.queue.answer(takeAll);
    intake.clock.advance(4000);
    second = await intake.submit(booking);
    return { taken: ids };
  });
  await accepted(await intake.submit(booking));
  expect(second?.status).toBe(409);
  // What is left of the lease says nothing about how long the first will take.
  expect(second?.headers.get('retry-after')).toBe('1');
  expect(intake.queue.chunks().length).toBe(1);
});

test('after a crash in the middle the retry sends the very same chunks, as of the first acceptance', async () => {
  const intake = await startIntake();
  const large = { reservations: rows(1500) };
  // The process dies: neither the queue nor the table answers any more.
  intake.queue.answer((ids, call) => (call === 1 ? { taken: ids } : new Error('killed')));
  intake.fault((command, input) => (command === 'UpdateItemCommand' && isHeader(input) ? 'refused' : undefined));
  expect((await intake.submit(large)).status).toBe(503);
  const sent = intake.queue.chunks();
  expect(sent.length).toBe(10);

  intake.fault(() => undefined);
  intake.queue.answer(takeAll);
  expect((await intake.submit(large)).status).toBe(409);
  intake.clock.advance(30_000);
  const answer = await accepted(await intake.submit(large));
  expect(answer.acceptedAt).toBe(noon);
  const resent = intake.queue.chunks().slice(10);
  expect(resent.length).toBe(15);
  expect(resent.slice(0, 10)).toEqual(sent);
  const replay = await intake.submit(large);
  expect(replay.headers.get('idempotency-replayed')).toBe('true');
});

test('a resumed booking keeps the window of its first acceptance, though the day is another by then', async () => {
  const intake = await startIntake();
  intake.queue.answer(() => new Error('down'));
  expect((await intake.submit(booking)).status).toBe(503);
  intake.clock.advance(dayMs);
  intake.queue.answer(takeAll);
  const { window } = await accepted(await intake.submit(booking));
  expect(window.date).toBe('2026-11-29');
  expect(intake.queue.chunks()[0]?.window.date).toBe('2026-11-29');
});

test('of two that resume at once one enqueues and the other is told to wait', async () => {
  const intake = await startIntake();
  intake.queue.answer(() => new Error('down'));
  await intake.submit(booking);
  intake.queue.answer(async (ids) => {
    await new Promise((resolve) => setImmediate(resolve));
    return { taken: ids };
  });
  const both = await Promise.all([intake.submit(booking), intake.submit(booking)]);
  const statuses = both.map(({ status }) => status).sort();
  // The slower one may also come so late that the booking is accepted already.
  expect([
    [202, 202],
    [202, 409],
  ]).toContainEqual(statuses);
  expect(intake.queue.chunks().length).toBe(1);
});

test('an unfinished booking too old to be settled any more is not resumed', async () => {
  const intake = await startIntake();
  intake.queue.answer(() => new Error('down'));
  await intake.submit(booking);
  intake.queue.answer(takeAll);
  intake.clock.advance(15 * dayMs);
  const response = await intake.submit(booking);
  expect([response.status, await problem(response)]).toEqual([422, '/problems/booking-too-old']);
  expect(intake.queue.chunks()).toEqual([]);
});

test('a header past its time counts as absent, though it has not been deleted', async () => {
  const intake = await startIntake();
  await accepted(await intake.submit(booking));
  intake.clock.advance(90 * dayMs);
  const again = await intake.submit({ reservations: rows(1) });
  expect((await accepted(again)).acceptedAt).toBe(new Date(virtualClock(noon)() + 90 * dayMs).toISOString());
  expect(again.headers.has('idempotency-replayed')).toBe(false);
});

test('where the table fails nothing is queued, and the same key goes through afterwards', async () => {
  const intake = await startIntake();
  intake.fault((command) => (command === 'PutItemCommand' ? 'refused' : undefined));
  const response = await intake.submit(booking);
  expect([response.status, await problem(response)]).toEqual([503, '/problems/unavailable']);
  expect(response.headers.get('retry-after')).toBe('1');
  expect(intake.queue.calls.length).toBe(0);
  intake.fault(() => undefined);
  await accepted(await intake.submit(booking));
});

test('a header whose every reply was lost is given up, so that the retry goes through at once', async () => {
  const intake = await startIntake();
  let puts = 0;
  intake.fault((command) => (command === 'PutItemCommand' && ++puts <= 3 ? 'reply lost' : undefined));
  expect((await intake.submit(booking)).status).toBe(503);
  expect((await headers(intake)).length).toBe(1);
  await accepted(await intake.submit(booking));
});

test('neither logs nor metrics hold what partners send', async () => {
  const intake = await startIntake();
  intake.queue.answer(() => new Error('down'));
  await intake.submit(booking);
  expect(intake.logged.length).toBeGreaterThan(0);
  expect(JSON.stringify(intake.logged)).not.toMatch(/A-17|LH 400/);
});

function isHeader(input: object): boolean {
  return JSON.stringify(input).includes('"header"');
}
