import { BookingAccepted, bookingIdOf, bookingKeyFor, Problem } from '@usher/contracts';
import { keys } from '@usher/limiter-core/bulk/dynamodb';
import { expect, test } from 'vitest';
import { listBounds } from './list-bookings.ts';
import { damage, putHeader } from './testing/items.ts';
import { decide, list, makeMany, setPolicy, submitMany, walk } from './testing/lists.ts';
import { noon, rows, startIntake } from './testing/start-intake.ts';

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
  const sent = Map.groupBy(intake.requests, (command) => command);
  // Headers come together, page by page of the index; each undecided booking takes a look at its last chunk.
  const pages = sent.get('BatchGetItemCommand')?.length ?? 0;
  expect(pages).toBeLessThanOrEqual(listBounds.bookings / 20);
  expect(sent.get('QueryCommand')).toHaveLength(pages + listBounds.bookings);
  const second = await list(intake, `?status=decided&cursor=${first.nextCursor}`);
  expect(second).toMatchObject({ bookings: [{ bookingId: ids[0], status: 'decided' }] });
  expect(second.nextCursor).toBeUndefined();
});

test('a request counts the ledgers of so many chunks at the most, and of one booking at the least', async () => {
  const intake = await startIntake();
  const sizes = [600, 2001, 1999, 1, 1000];
  for (const [i, chunks] of sizes.entries()) {
    const acceptedAt = new Date(Date.parse(noon) - i).toISOString();
    await putHeader(intake, {
      bookingId: bookingIdOf(bookingKeyFor('acme', `made-${i}`), Date.parse(acceptedAt)),
      acceptedAt,
      chunks,
    });
  }
  expect((await walk(intake, '')).sizes).toEqual([1, 1, 2, 1]);
});

test('chunks that a header counts are not counted against a request', async () => {
  const intake = await startIntake();
  for (const key of ['first', 'second']) {
    const bookingKey = bookingKeyFor('acme', key);
    const bookingId = bookingIdOf(bookingKey, Date.parse(noon));
    await putHeader(intake, { bookingId, acceptedAt: noon, chunks: listBounds.chunks });
    await damage(intake, keys.header(bookingKey), 'counts', { granted: listBounds.chunks, rejected: 0 });
    await damage(intake, keys.header(bookingKey), 'countedChunks', listBounds.chunks);
  }
  expect((await list(intake)).bookings.map(({ status }) => status)).toEqual(['decided', 'decided']);
});

test('each malformed parameter is answered 400 and named with what was expected', async () => {
  const intake = await startIntake();
  const cursors = ['x', '', 'YQ', `bk_${'A'.repeat(35)}`, `bk_${'a'.repeat(34)}`];
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
