import { expect, test } from 'vitest';
import { finish } from '../support/books.ts';
import { book, reasonsOf, settleAll } from '../support/case.ts';
import { startWorld } from '../support/world.ts';

const over = 'daily_quota_exceeded';

test.each([
  { how: 'three bookings', bookings: [[6], [5], [4]], reasons: [[null], [over], [null]] },
  { how: 'one booking', bookings: [[6, 5, 4]], reasons: [[null, over, null]] },
  {
    how: 'many denials',
    bookings: [[6], [5, 5, 5, 5, 5], [9, 8, 7], [4]],
    reasons: [[null], [over, over, over, over, over], [over, over, over], [null]],
  },
])('case 15: with 6 of 10 used and 5 rejected, 4 are granted ($how)', async ({ bookings, reasons }) => {
  const world = await startWorld({ ada: { dailyLimit: 10 } });
  const accepted = [];
  for (const [n, costs] of bookings.entries()) {
    accepted.push(await book(world, 'ada', `key-${n}`, costs));
    await settleAll(world);
  }
  const books = await finish(world);
  expect(accepted.map((booking) => reasonsOf(books, booking))).toEqual(reasons);
  expect(books.counters.get('ada')?.used).toBe(10);
});
