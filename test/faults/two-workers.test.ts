import { describe, expect, it } from 'vitest';
import { expectBalance, expectNothingSetAside, finish } from '../support/books.ts';
import { always, at, type Faults } from '../support/process-faults.ts';
import { visibilityMs } from '../support/world.ts';
import { accountKinds, limits, startScenario } from './scenario.ts';

/** A fault that holds a process at a command's requests, tells when it got there, and lets it go on. */
function stallAt(command: string): { faults: Faults; reached: Promise<void>; release: () => void } {
  const { promise: stallUntil, resolve: release } = Promise.withResolvers<void>();
  const { promise: reached, resolve: arrive } = Promise.withResolvers<void>();
  const stalled = always(command, { stallUntil });
  return {
    faults: {
      onRequest: (request) => {
        const fault = stalled.onRequest?.(request);
        if (fault !== undefined) arrive();
        return fault;
      },
    },
    reached,
    release,
  };
}

describe('two workers on the same messages, since the first took longer than their visibility', () => {
  it.each([
    { step: 'before its UpdateItem', command: 'UpdateItem' },
    { step: 'before its ledger items', command: 'BatchWriteItem' },
    { step: 'before its events', command: 'PutEvents' },
    { step: 'before its dispatches', command: 'SendMessageBatch' },
    { step: 'before its delete', command: 'DeleteMessageBatch' },
  ])('count once and say the same where the first stood still $step', async ({ command }) => {
    const { world, bookings } = await startScenario();
    const { faults, reached, release } = stallAt(command);
    const slow = world.worker(faults);
    const slowDelivery = slow.settle();
    await reached;
    world.clock.advance(visibilityMs);
    const second = await world.worker().settle();
    expect(second).toMatchObject({ received: { length: 7 }, handedBack: [] });
    release();
    expect(await slowDelivery).toMatchObject({ received: { length: 7 }, handedBack: [] });

    const books = await finish(world);
    expectBalance(books, bookings, limits);
    expect(Math.max(...books.times.values())).toBe(2);
    await expectNothingSetAside(world);
  });

  it.each(accountKinds)(
    'count once where both are about to write $kind, whichever comes first',
    async ({ earlier }) => {
      const { world, bookings } = await startScenario(earlier);
      const [first, second] = [stallAt('UpdateItem'), stallAt('UpdateItem')];
      const deliveries = [world.worker(first.faults).settle()];
      await first.reached;
      world.clock.advance(visibilityMs);
      deliveries.push(world.worker(second.faults).settle());
      await second.reached;
      second.release();
      first.release();
      expect(await Promise.all(deliveries)).toMatchObject([{ handedBack: [] }, { handedBack: [] }]);

      const books = await finish(world);
      expectBalance(books, bookings, limits);
      expect(Math.max(...books.times.values())).toBe(2);
      await expectNothingSetAside(world);
    },
  );

  it.each(accountKinds)(
    'count once where the second died after its write of $kind and the first then goes on',
    async ({ earlier }) => {
      const { world, bookings } = await startScenario(earlier);
      const { faults, reached, release } = stallAt('UpdateItem');
      const slowDelivery = world.worker(faults).settle();
      await reached;
      world.clock.advance(visibilityMs);
      expect(await world.worker(at('BatchWriteItem', 1, 'crash before')).settle()).toBe('crashed');
      release();
      expect(await slowDelivery).toMatchObject({ handedBack: [] });

      const books = await finish(world);
      expectBalance(books, bookings, limits);
      await expectNothingSetAside(world);
    },
  );
});
