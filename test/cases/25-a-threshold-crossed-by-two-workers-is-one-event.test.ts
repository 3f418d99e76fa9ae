import { expect, test } from 'vitest';
import { finish } from '../support/books.ts';
import { book } from '../support/case.ts';
import type { OutgoingRequest, RequestFault } from '../support/process-faults.ts';
import { startWorld, visibilityMs } from '../support/world.ts';

test.each(['UpdateItem', 'PutEvents'])(
  'case 25: two workers at once cross the thresholds, both about to %s; one event each',
  async (command) => {
    const world = await startWorld({ ada: { dailyLimit: 10, thresholds: [0.5, 0.8, 1] } });
    await book(world, 'ada', 'first', [4]);
    const { bookingId } = await book(world, 'ada', 'second', [6]);
    const release = Promise.withResolvers<void>();
    const reached = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const deliveries = [];
    for (const { promise, resolve } of reached) {
      const onRequest = (request: OutgoingRequest): RequestFault | undefined => {
        if (request.command !== command || request.nth > 1) return undefined;
        resolve();
        return { stallUntil: release.promise };
      };
      deliveries.push(world.worker({ onRequest }).settle());
      await promise;
      world.clock.advance(visibilityMs);
    }
    release.resolve();
    expect(await Promise.all(deliveries)).toMatchObject([{ handedBack: [] }, { handedBack: [] }]);

    const { events, counters } = await finish(world);
    expect(counters.get('ada')).toEqual({ used: 10, rejected: 0 });
    const crossed = [...events.values()].flatMap(({ detailType, detail }) =>
      detailType === 'Quota Threshold Reached' ? [[detail.metadata.id, detail.data.used]] : [],
    );
    // A repeat has the id of the first; the consumer of these books would have refused one with another content.
    expect(crossed.toSorted()).toEqual([
      [`${bookingId}#0#threshold#day#0.5`, 10],
      [`${bookingId}#0#threshold#day#0.8`, 10],
      [`${bookingId}#0#threshold#day#1`, 10],
    ]);
  },
);
