import { bookingKeyOf } from '@usher/contracts';
import { keys } from '@usher/limiter-core/bulk/dynamodb';
import { expect, test } from 'vitest';
import { intakeMetrics } from './metrics.ts';
import { damage } from './testing/items.ts';
import { granted, outcomeOf, record } from './testing/ledger.ts';
import { decide, list, makeMany, submitMany, walk } from './testing/lists.ts';
import { rows, startIntake } from './testing/start-intake.ts';

const dayMs = 86_400_000;

test("the caller's bookings come newest first, a page at a time, each once", async () => {
  const intake = await startIntake();
  const ids = await makeMany(intake, 45);
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

test('a listed booking tells whether all of its chunks are decided, and then its counts', async () => {
  const intake = await startIntake();
  const [decided = '', half = '', incomplete = '', pending = ''] = await submitMany(intake, 4);
  intake.queue.answer(() => new Error('down'));
  await intake.submit({ reservations: rows(1) }, { key: 'stuck' });
  const outcome = outcomeOf([...granted(99), 'exceeds_limit']);
  const second = outcomeOf(granted(50));
  await record(intake, { bookingId: decided, chunkIndex: 0, outcome });
  await record(intake, { bookingId: decided, chunkIndex: 1, outcome: second });
  await record(intake, { bookingId: half, chunkIndex: 1, outcome: second });
  await record(intake, { bookingId: incomplete, chunkIndex: 0, outcome });
  await record(intake, { bookingId: incomplete, chunkIndex: 1, outcome: second, withRows: false });
  const { bookings } = await list(intake);
  expect(bookings.map(({ status }) => status)).toEqual(['accepting', 'pending', 'pending', 'pending', 'decided']);
  expect(bookings.slice(1).map(({ bookingId }) => bookingId)).toEqual([pending, incomplete, half, decided]);
  expect(bookings[1]).toEqual({
    bookingId: pending,
    acceptedAt: '2026-11-29T12:00:03.000Z',
    date: '2026-11-29',
    total: 150,
    status: 'pending',
  });
  expect(bookings[4]).toMatchObject({ total: 150, granted: 149, rejected: 1 });
});

test('nothing is shown past its time', async () => {
  const intake = await startIntake();
  await submitMany(intake, 2);
  intake.clock.advance(dayMs);
  await intake.submit({ reservations: rows(1) }, { key: 'later' });
  expect((await list(intake)).bookings.length).toBe(3);
  intake.clock.advance(59 * dayMs);
  expect((await list(intake)).bookings.length).toBe(1);
  expect((await list(intake, '?from=2026-11-01')).bookings.length).toBe(1);
});

const damages = [
  { what: 'a header that cannot be read', attribute: 'window', value: 'today', told: 1 },
  { what: 'a header of another account', attribute: 'accountId', value: 'other', told: 1 },
  { what: 'a malformed key in the index', attribute: 'listKey', value: '2026-11-29T12:00:01.500Z', told: 1 },
  {
    what: 'a key in the index of an instant that is none',
    attribute: 'listKey',
    value: '2026-11-29T12:00:61#x',
    told: 1,
  },
];

test.each(damages)('$what is left out and told to operators; the others are listed', async (given) => {
  const intake = await startIntake();
  const ids = await submitMany(intake, 3);
  await damage(intake, keys.header(bookingKeyOf(ids[1] ?? '')), given.attribute, given.value);
  for (const query of ['limit=1', 'limit=2', 'limit=100', 'limit=1&status=pending']) {
    intake.counts.clear();
    expect((await walk(intake, query)).seen).toEqual([ids[2], ids[0]]);
    expect(intake.counts.get(intakeMetrics.unreadableItems)).toBeGreaterThan(0);
  }
  expect(intake.logged).toContainEqual({
    level: 'error',
    message: 'stored item left out',
    fields: expect.objectContaining({
      accountId: 'acme',
      error: expect.objectContaining({ name: 'CorruptItemError' }),
    }),
  });
});

test('a booking with a ledger item that cannot be read is listed as undecided', async () => {
  const intake = await startIntake();
  const ids = await makeMany(intake, 2);
  for (const bookingId of ids) await decide(intake, bookingId);
  await damage(intake, keys.ledger({ bookingId: ids[0] ?? '', chunkIndex: 0 }), 'outcome', 'text');
  expect((await list(intake)).bookings.map(({ status }) => status)).toEqual(['decided', 'pending']);
  const errors = intake.logged.filter(({ level }) => level === 'error');
  expect(errors).toMatchObject([{ fields: { accountId: 'acme', bookingId: ids[0] } }]);
});
