import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BookingList, Quota } from '@usher/contracts';
import { PolicyFile } from '@usher/limiter-core/bulk';
import { expect, test } from 'vitest';
import { book, settleAll } from '../support/case.ts';
import { startWorld, type World } from '../support/world.ts';

const input = await readFile(join(import.meta.dirname, 'inputs/policy-auckland.json'), 'utf8');
const accounts = PolicyFile.assert(JSON.parse(input)).accounts ?? {};

async function list(world: World, accountId: string, query: string): Promise<BookingList['bookings']> {
  const answer = await world.intake().get(accountId, `/v1/bookings?${query}`);
  return BookingList.assert(await answer.json()).bookings;
}

// At each instant it is another day in UTC than in one of the two zones, east or west of it.
test.each([
  { accountId: 'kiwi', at: '2026-11-29T11:30:00.000Z', date: '2026-11-30', before: '2026-11-29', after: '2026-12-01' },
  { accountId: 'kiwi', at: '2026-11-29T10:30:00.000Z', date: '2026-11-29', before: '2026-11-28', after: '2026-11-30' },
  {
    accountId: 'hawaii',
    at: '2026-11-29T05:30:00.000Z',
    date: '2026-11-28',
    before: '2026-11-27',
    after: '2026-11-29',
  },
])('case 43: $accountId finds its booking of $at by the date of its window, $date', async (given) => {
  const { accountId, date, before, after } = given;
  const world = await startWorld(accounts);
  world.clock.set(Date.parse(given.at));
  const { bookingId, window } = await book(world, accountId, 'local', [1, 2]);
  await settleAll(world);
  expect(window.date).toBe(date);

  const listed = { bookingId, date, status: 'decided', granted: 2, rejected: 0 };
  for (const query of [`from=${date}`, `to=${date}`, `from=${date}&to=${date}`, `from=${before}&to=${after}`]) {
    expect([query, await list(world, accountId, query)]).toMatchObject([query, [listed]]);
  }
  for (const query of [`from=${after}`, `to=${before}`]) expect(await list(world, accountId, query)).toEqual([]);
  const quota = Quota.assert(await (await world.intake().get(accountId, `/v1/quota?date=${date}`)).json());
  expect(quota).toMatchObject({ used: 3, window });

  // Its date stays its own when the account moves to the other end of the world.
  const { kiwi, hawaii } = accounts;
  await world.setPolicies({ kiwi: { ...hawaii }, hawaii: { ...kiwi } });
  expect(await list(world, accountId, `from=${date}&to=${date}`)).toMatchObject([listed]);
});
