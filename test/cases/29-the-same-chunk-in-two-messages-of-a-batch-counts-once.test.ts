import { expect, test } from 'vitest';
import { expectBalance, expectNothingSetAside, finish } from '../support/books.ts';
import { book, receiveBatch, sendRaw } from '../support/case.ts';
import { messagesIn } from '../support/read-back.ts';
import { startWorld, visibilityMs } from '../support/world.ts';

test.each([1, 4])(
  'case 29: a chunk that is in the batch %i times more is counted once, and all its messages are acknowledged',
  async (copies) => {
    const world = await startWorld({ ada: { dailyLimit: 10 } });
    const booking = { accountId: 'ada', key: 'copies', costs: [6, 5, 4] };
    const { bookingId } = await book(world, booking.accountId, booking.key, booking.costs);
    const { Records } = await receiveBatch(world);
    world.clock.advance(visibilityMs);
    for (let n = 0; n < copies; n++) await sendRaw(world, 'ada', Records[0]?.body ?? '', `copy-${n}`);

    expect(await world.worker().settle()).toMatchObject({ received: { length: copies + 1 }, handedBack: [] });
    expect(await messagesIn(world.clients, world.queues.bookings.url)).toBe(0);
    const books = await finish(world);
    expectBalance(books, [{ ...booking, bookingId }], { ada: 10 });
    expect(Math.max(...books.times.values())).toBe(1);
    await expectNothingSetAside(world);
  },
);
