import { expect, test } from 'vitest';
import { expectBalance, expectNothingSetAside, finish } from '../support/books.ts';
import { book, receiveBatch } from '../support/case.ts';
import { startWorld, visibilityMs } from '../support/world.ts';

test.each([2, 7, 10])(
  'case 4: a message that runs first at its receive no. %i is processed as any other',
  async (receive) => {
    const world = await startWorld();
    const booking = { accountId: 'ada', key: 'late', costs: [600, 500] };
    const { bookingId } = await book(world, booking.accountId, booking.key, booking.costs);
    for (let n = 1; n < receive; n++) {
      // Received by a poller whose function was throttled: nobody looked at it.
      const { Records } = await receiveBatch(world);
      expect(Records[0]?.attributes.ApproximateReceiveCount).toBe(String(n));
      world.clock.advance(visibilityMs);
    }
    expect(await world.worker().settle()).toMatchObject({ received: { length: 1 }, handedBack: [] });
    expectBalance(await finish(world), [{ ...booking, bookingId }]);
    await expectNothingSetAside(world);
  },
);
