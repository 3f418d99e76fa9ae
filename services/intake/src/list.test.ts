import { BookingAccepted, BookingList, Problem } from '@usher/contracts';
import { expect, test } from 'vitest';
import { granted, outcomeOf, record } from './testing/ledger.ts';
import { rows, startIntake, type TestIntake } from './testing/start-intake.ts';

const dayMs = 86_400_000;

async function list(intake: TestIntake, query = '', account = 'acme'): Promise<BookingList> {
  const response = await intake.fetch(`/v1/bookings${query}`, { account });
  expect(response.status).toBe(200);
  return BookingList.assert(await response.json());
}

async function submitMany(intake: TestIntake, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const accepted = await intake.submit({ reservations: rows(150) }, { key: `key-${i}` });
    ids.push(BookingAccepted.assert(await accepted.json()).bookingId);
    intake.clock.advance(1000);
  }
  return ids;
}

test("the caller's bookings come newest first, a page at a time, each once", async () => {
  const intake = await startIntake();
  const ids = await submitMany(intake, 45);
  const sizes: number[] = [];
  const seen: string[] = [];
  let query: string | undefined = '';
  while (query !== undefined) {
    const { bookings, nextCursor } = await list(intake, query);
    sizes.push(bookings.length);
    seen.push(...bookings.map(({ bookingId }) => bookingId));
    query = nextCursor && `?cursor=${nextCursor}`;
  }
  expect(sizes).toEqual([20, 20, 5]);
  expect(seen).toEqual(ids.toReversed());
});

test('an account sees its own bookings only, whatever cursor it sends', async () => {
  const intake = await startIntake();
  await submitMany(intake, 21);
  const { nextCursor } = await list(intake);
  expect(await list(intake, `?cursor=${nextCursor}`, 'other')).toEqual({ bookings: [] });
});

test('a listed booking tells whether all of its chunks are decided', async () => {
  const intake = await startIntake();
  const [decided = '', half = '', incomplete = '', pending = ''] = await submitMany(intake, 4);
  intake.queue.answer(() => new Error('down'));
  await intake.submit({ reservations: rows(1) }, { key: 'stuck' });
  const outcome = outcomeOf(granted(100));
  const second = outcomeOf(granted(50));
  await record(intake, { bookingId: decided, chunk: 0, outcome });
  await record(intake, { bookingId: decided, chunk: 1, outcome: second });
  await record(intake, { bookingId: half, chunk: 1, outcome: second });
  await record(intake, { bookingId: incomplete, chunk: 0, outcome });
  await record(intake, { bookingId: incomplete, chunk: 1, outcome: second, withRows: false });
  const { bookings } = await list(intake);
  expect(bookings.map(({ status }) => status)).toEqual(['accepting', 'pending', 'pending', 'pending', 'decided']);
  expect(bookings.slice(1).map(({ bookingId }) => bookingId)).toEqual([pending, incomplete, half, decided]);
  expect(bookings[1]).toMatchObject({ total: 150, acceptedAt: '2026-11-29T12:00:03.000Z' });
});

test('from bounds the list by the day of acceptance in UTC, and nothing is shown past its time', async () => {
  const intake = await startIntake();
  await submitMany(intake, 2);
  intake.clock.advance(dayMs);
  await intake.submit({ reservations: rows(1) }, { key: 'later' });
  expect((await list(intake, '?from=2026-11-29')).bookings.length).toBe(3);
  expect((await list(intake, '?from=2026-11-30')).bookings.length).toBe(1);
  expect((await list(intake, '?from=2027-01-01')).bookings.length).toBe(0);
  intake.clock.advance(59 * dayMs);
  expect((await list(intake)).bookings.length).toBe(1);
});

test('a malformed day or cursor is answered 400', async () => {
  const intake = await startIntake();
  const cursors = ['x', '', 'YQ', Buffer.from('2026-11-29T12:00:00.000Z#header').toString('base64url')];
  const queries = [...cursors.map((cursor) => `cursor=${cursor}`), 'from=2026-02-30', 'from=today', 'from='];
  for (const query of queries) {
    const response = await intake.fetch(`/v1/bookings?${query}`);
    expect([query, response.status]).toEqual([query, 400]);
    expect(Problem.assert(await response.json()).type).toBe('/problems/invalid-query');
  }
});
