import { bookingKeyFor } from '@usher/contracts';
import { keys } from '@usher/limiter-core/bulk/dynamodb';
import { expect, test } from 'vitest';
import { acceptedOf, problemOf } from './testing/answers.ts';
import { damage, headersIn } from './testing/items.ts';
import { takeAll } from './testing/scripted-queue.ts';
import { booking, noon, rows, startIntake } from './testing/start-intake.ts';

const dayMs = 86_400_000;

test('case 31: the header is put, the reply is lost, the SDK tries again: its own creator is answered 202', async () => {
  const intake = await startIntake();
  let cut = 0;
  intake.fault((command) => (command === 'PutItemCommand' && ++cut === 1 ? 'reply lost' : undefined));
  await acceptedOf(await intake.submit(booking));
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
  await acceptedOf(await intake.submit(booking));
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
  await acceptedOf(await intake.submit(booking));
  expect(second?.status).toBe(409);
  // The rest of the lease says nothing about how long the first will take.
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
  const answer = await acceptedOf(await intake.submit(large));
  expect(answer.acceptedAt).toBe(noon);
  const resent = intake.queue.chunks().slice(10);
  expect(resent.length).toBe(15);
  expect(resent.slice(0, 10)).toEqual(sent);
  const replay = await intake.submit(large);
  expect(replay.headers.get('idempotency-replayed')).toBe('true');
});

test.each([
  { seconds: 24, status: 202, sent: 15 },
  { seconds: 26, status: 503, sent: 10 },
])(
  'an attempt whose first ten chunks took $seconds s sends $sent: none in the last 5 s of its lease',
  async (given) => {
    const intake = await startIntake();
    intake.queue.answer((ids, call) => {
      if (call === 1) intake.clock.advance(given.seconds * 1000);
      return { taken: ids };
    });
    expect((await intake.submit({ reservations: rows(1500) })).status).toBe(given.status);
    expect(intake.queue.chunks().length).toBe(given.sent);
  },
);

test('a resumed booking is cut as its header says, whatever chunks are cut to now', async () => {
  const intake = await startIntake();
  intake.queue.answer(() => new Error('down'));
  expect((await intake.submit({ reservations: rows(130) })).status).toBe(503);
  const [header] = await headersIn(intake);
  expect(header?.cut).toBe('100,30');
  await damage(intake, keys.header(bookingKeyFor('acme', 'key-1')), 'cut', '40x3,10');
  intake.queue.answer(takeAll);
  const { chunks } = await acceptedOf(await intake.submit({ reservations: rows(130) }));
  expect(chunks).toBe(4);
  expect(intake.queue.chunks().map(({ reservations }) => reservations.length)).toEqual([40, 40, 40, 10]);
  expect(intake.queue.chunks().flatMap(({ reservations }) => reservations.map(({ id }) => id))).toEqual(
    rows(130).map(({ id }) => id),
  );
});

test('a resumed booking keeps the window of its first acceptance, though the day is another by then', async () => {
  const intake = await startIntake();
  intake.queue.answer(() => new Error('down'));
  expect((await intake.submit(booking)).status).toBe(503);
  intake.clock.advance(dayMs);
  intake.queue.answer(takeAll);
  const { window } = await acceptedOf(await intake.submit(booking));
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
  expect([response.status, (await problemOf(response)).type]).toEqual([422, '/problems/booking-too-old']);
  expect(intake.queue.chunks()).toEqual([]);
});

test('a header whose every reply was lost is given up, so that the retry goes through at once', async () => {
  const intake = await startIntake();
  let puts = 0;
  intake.fault((command) => (command === 'PutItemCommand' && ++puts <= 3 ? 'reply lost' : undefined));
  expect((await intake.submit(booking)).status).toBe(503);
  expect((await headersIn(intake)).length).toBe(1);
  await acceptedOf(await intake.submit(booking));
});

function isHeader(input: object): boolean {
  return JSON.stringify(input).includes('"header"');
}
