import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { BookingAccepted, BookingList, Problem } from '@usher/contracts';
import { keys } from '@usher/limiter-core/dynamodb';
import { expect, test } from 'vitest';
import { bookingIdOf } from './booking-id.ts';
import { listBounds } from './list-bookings.ts';
import { intakeMetrics } from './metrics.ts';
import { tableName } from './testing/dynalite-table.ts';
import { damage, headerOf, putHeader } from './testing/items.ts';
import { granted, outcomeOf, record } from './testing/ledger.ts';
import { noon, rows, startIntake, type TestIntake } from './testing/start-intake.ts';

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

/** Accepted bookings of one row each, a millisecond apart, the newest last. */
async function makeMany(intake: TestIntake, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, i) => bookingIdOf('acme', `made-${i}`));
  const at = (i: number) => new Date(Date.parse(noon) + i).toISOString();
  await Promise.all(ids.map((bookingId, i) => putHeader(intake, { bookingId, acceptedAt: at(i) })));
  return ids;
}

/** Decides a booking of one row. */
function decide(intake: TestIntake, bookingId: string): Promise<void> {
  return record(intake, { bookingId, chunk: 0, outcome: outcomeOf(granted(1)) });
}

async function setPolicy(intake: TestIntake, policy: object): Promise<void> {
  await intake.table.client.send(new PutCommand({ TableName: tableName, Item: { ...keys.policy('acme'), policy } }));
  intake.clock.advance(30_000);
}

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
  await record(intake, { bookingId: decided, chunk: 0, outcome });
  await record(intake, { bookingId: decided, chunk: 1, outcome: second });
  await record(intake, { bookingId: half, chunk: 1, outcome: second });
  await record(intake, { bookingId: incomplete, chunk: 0, outcome });
  await record(intake, { bookingId: incomplete, chunk: 1, outcome: second, withRows: false });
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

test('a ledger is counted once: from then on the header tells', async () => {
  const intake = await startIntake();
  const [bookingId = ''] = await submitMany(intake, 1);
  await record(intake, { bookingId, chunk: 0, outcome: outcomeOf(granted(100)) });
  await record(intake, { bookingId, chunk: 1, outcome: outcomeOf(granted(50)) });
  const first = await list(intake);
  expect((await headerOf(intake, bookingId)).counts).toEqual({ granted: 150, rejected: 0 });
  intake.requests.length = 0;
  expect(await list(intake)).toEqual(first);
  expect(intake.requests).toEqual(['QueryCommand', 'GetItemCommand']);
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

test('from and to bound the list by the local day that each booking counts in, whatever zone is set now', async () => {
  const intake = await startIntake();
  const zones = ['Pacific/Auckland', 'Pacific/Kiritimati', 'Pacific/Niue', 'UTC'];
  const days: string[] = [];
  for (const [index, timezone] of zones.entries()) {
    await setPolicy(intake, { timezone });
    intake.clock.advance(60_000);
    const accepted = await intake.submit({ reservations: rows(1) }, { key: `in-${index}` });
    days.push(BookingAccepted.assert(await accepted.json()).window.date);
  }
  expect(days).toEqual(['2026-11-30', '2026-11-30', '2026-11-29', '2026-11-29']);
  const daysOf = async (query: string) => (await list(intake, query)).bookings.map(({ date }) => date);
  expect(await daysOf('?from=2026-11-30')).toEqual(['2026-11-30', '2026-11-30']);
  expect(await daysOf('?to=2026-11-29')).toEqual(['2026-11-29', '2026-11-29']);
  expect(await daysOf('?from=2026-11-30&to=2026-11-30')).toEqual(['2026-11-30', '2026-11-30']);
  expect((await daysOf('?from=2026-11-29&to=2026-11-30')).length).toBe(4);
  const nothing = ['?from=2026-12-01', '?to=2026-11-28', '?from=2026-11-30&to=2026-11-29', '?to=0001-01-01'];
  for (const query of [...nothing, '?from=9999-12-31']) expect(await daysOf(query)).toEqual([]);
  expect((await daysOf('?from=0000-01-01&to=9999-12-31')).length).toBe(4);
});

/** Walks a list to its end and tells the size of each page. */
async function walk(intake: TestIntake, query: string): Promise<{ sizes: number[]; seen: string[] }> {
  const sizes: number[] = [];
  const seen: string[] = [];
  let cursor = '';
  do {
    const { bookings, nextCursor } = await list(intake, `?${query}${cursor}`);
    sizes.push(bookings.length);
    seen.push(...bookings.map(({ bookingId }) => bookingId));
    cursor = nextCursor === undefined ? '' : `&cursor=${nextCursor}`;
  } while (cursor !== '');
  return { sizes, seen };
}

test('limit says how many bookings a page holds', async () => {
  const intake = await startIntake();
  const ids = await submitMany(intake, 7);
  for (const [limit, sizes] of [
    [1, [1, 1, 1, 1, 1, 1, 1]],
    [3, [3, 3, 1]],
    [7, [7]],
    [100, [7]],
  ] as const) {
    expect(await walk(intake, `limit=${limit}`)).toEqual({ sizes, seen: ids.toReversed() });
  }
});

test('a list of one status holds all of them, each once, however the pages fall', async () => {
  const intake = await startIntake();
  const ids = await makeMany(intake, 24);
  const decided = ids.filter((_, i) => i % 11 === 0);
  for (const bookingId of decided) await decide(intake, bookingId);
  for (const limit of [2, 100]) {
    expect((await walk(intake, `limit=${limit}&status=decided`)).seen).toEqual(decided.toReversed());
    const pending = ids.filter((id) => !decided.includes(id));
    expect((await walk(intake, `limit=${limit}&status=pending`)).seen).toEqual(pending.toReversed());
  }
  expect((await walk(intake, 'status=accepting')).seen).toEqual([]);
});

test('a request looks at a hundred bookings at the most; the page it gives may be empty and have a next one', async () => {
  const intake = await startIntake();
  const ids = await makeMany(intake, listBounds.bookings + 1);
  await decide(intake, ids[0] ?? '');
  intake.requests.length = 0;
  const first = await list(intake, '?status=decided');
  expect([first.bookings, first.nextCursor]).toEqual([[], expect.any(String)]);
  expect(intake.requests.filter((command) => command === 'GetItemCommand')).toHaveLength(2 * listBounds.bookings);
  const second = await list(intake, `?status=decided&cursor=${first.nextCursor}`);
  expect(second).toMatchObject({ bookings: [{ bookingId: ids[0], status: 'decided' }] });
  expect(second.nextCursor).toBeUndefined();
});

test('a request counts the ledgers of so many chunks at the most, and of one booking at the least', async () => {
  const intake = await startIntake();
  const sizes = [600, 2001, 1999, 1, 1000];
  for (const [i, chunks] of sizes.entries()) {
    const acceptedAt = new Date(Date.parse(noon) - i).toISOString();
    await putHeader(intake, { bookingId: bookingIdOf('acme', `made-${i}`), acceptedAt, chunks });
  }
  expect((await walk(intake, '')).sizes).toEqual([1, 1, 2, 1]);
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
  await damage(intake, keys.header(ids[1] ?? ''), given.attribute, given.value);
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
  await damage(intake, keys.ledger({ bookingId: ids[0] ?? '', chunk: 0 }), 'outcome', 'text');
  expect((await list(intake)).bookings.map(({ status }) => status)).toEqual(['decided', 'pending']);
  const errors = intake.logged.filter(({ level }) => level === 'error');
  expect(errors).toMatchObject([{ fields: { accountId: 'acme', bookingId: ids[0] } }]);
});

test('each malformed parameter is answered 400 and named with what was expected', async () => {
  const intake = await startIntake();
  const cursors = ['x', '', 'YQ', `1764417600000-bk_${'A'.repeat(32)}`, `176441760000-bk_${'a'.repeat(32)}`];
  const wrong = {
    cursor: cursors,
    from: ['2026-02-30', 'today', ''],
    to: ['2026-13-01', '2026-11-29T12:00:00.000Z'],
    limit: ['0', '101', '-1', '1.5', '01', '1e1', '%2B5', '', 'ten'],
    status: ['Decided', '', 'done', 'constructor'],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const response = await intake.fetch(`/v1/bookings?${name}=${value}`);
      expect([name, value, response.status]).toEqual([name, value, 400]);
      const { type, detail } = Problem.assert(await response.json());
      expect(type).toBe('/problems/invalid-query');
      expect(detail).toMatch(new RegExp(`^${name} must be .*\\.$`));
    }
  }
  const both = Problem.assert(await (await intake.fetch('/v1/bookings?limit=0&status=x')).json());
  expect(both.detail).toBe(
    'limit must be a whole number from 1 to 100; status must be one of accepting, pending, decided.',
  );
});
