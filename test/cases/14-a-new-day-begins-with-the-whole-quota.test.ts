import { expect, test } from 'vitest';
import { finish } from '../support/books.ts';
import { book, reasonsOf, settleAll } from '../support/case.ts';
import { startWorld } from '../support/world.ts';

test.each([
  { when: 'the next morning', afterMs: 86_400_000 },
  { when: 'a millisecond after midnight', afterMs: 43_200_001 },
  { when: 'after a year', afterMs: 365 * 86_400_000 },
])('case 14: with 10 of 10 used on day 1, the first request $when is granted', async ({ afterMs }) => {
  const world = await startWorld({ ada: { dailyLimit: 10 } });
  const first = await book(world, 'ada', 'day-1', [10]);
  await settleAll(world);
  const denied = await book(world, 'ada', 'day-1-again', [1]);
  await settleAll(world);
  world.clock.advance(afterMs);
  const second = await book(world, 'ada', 'day-2', [1]);
  await settleAll(world);

  const books = await finish(world);
  expect([first, denied, second].map((booking) => reasonsOf(books, booking))).toEqual([
    [null],
    ['daily_quota_exceeded'],
    [null],
  ]);
});
