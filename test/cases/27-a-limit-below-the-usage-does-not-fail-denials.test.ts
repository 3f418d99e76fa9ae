import { expect, test } from 'vitest';
import { expectNothingSetAside, finish } from '../support/books.ts';
import { book, reasonsOf, settleAll } from '../support/case.ts';
import { startWorld } from '../support/world.ts';

test.each([2, 0])(
  'case 27: used 3 of 4, limit lowered to %i; a chunk wholly denied is decided at the first attempt',
  async (limit) => {
    const world = await startWorld({ ada: { dailyLimit: 4 } });
    await book(world, 'ada', 'used', [3]);
    await settleAll(world);
    await world.setPolicies({ ada: { dailyLimit: limit } });
    const denied = await book(world, 'ada', 'denied', [1, 2, 3]);

    const worker = world.worker();
    expect(await worker.settle()).toMatchObject({ received: { length: 1 }, handedBack: [] });
    expect(worker.requests.filter((command) => command === 'UpdateItem')).toHaveLength(1);
    const books = await finish(world);
    expect(reasonsOf(books, denied)).toEqual(
      [1, 2, 3].map((cost) => (cost > limit ? 'exceeds_limit' : 'daily_quota_exceeded')),
    );
    expect(books.counters.get('ada')).toEqual({ used: 3, rejected: 6 });
    await expectNothingSetAside(world);
  },
);
