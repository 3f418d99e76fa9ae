import { expect, test } from 'vitest';
import { finish } from '../support/books.ts';
import { book, reasonsOf, settleAll } from '../support/case.ts';
import { startWorld } from '../support/world.ts';

const over = 'daily_quota_exceeded';

test.each([
  { raised: 12, next: [1, 1, 1], reasons: [null, null, over] },
  { raised: 13, next: [1, 1, 1], reasons: [null, null, null] },
  { raised: 10, next: [1], reasons: [over] },
])(
  'case 16: limit 10, all used, 3 rejected; at $raised from noon on, exactly that much more is granted',
  async (given) => {
    const world = await startWorld({ ada: { dailyLimit: 10 } });
    const morning = await book(world, 'ada', 'morning', [10, 1, 1, 1]);
    await settleAll(world);
    await world.setPolicies({ ada: { dailyLimit: given.raised } });
    const noon = await book(world, 'ada', 'noon', given.next);
    await settleAll(world);

    const books = await finish(world);
    expect(reasonsOf(books, morning)).toEqual([null, over, over, over]);
    expect(reasonsOf(books, noon)).toEqual(given.reasons);
  },
);
