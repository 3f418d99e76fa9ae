import { type } from 'arktype';
import { expect, test } from 'vitest';
import { finish } from '../support/books.ts';
import { book } from '../support/case.ts';
import { startWorld } from '../support/world.ts';

const PutEvents = type({
  Entries: type({ Detail: type('string.json.parse').to({ metadata: { id: 'string' } }) }).array(),
});

test.each([
  { failing: 0, calls: [['usage'], ['rejected#0']] },
  { failing: 1, calls: [['rejected#0'], ['usage']] },
])(
  'case 10: entry $failing of two fails in an answer of 200; only that is sent again, with the same id',
  async ({ failing, calls }) => {
    const world = await startWorld({ ada: { dailyLimit: 10, thresholds: [] } });
    const { bookingId } = await book(world, 'ada', 'pair', [1, 11]);
    const taken: string[][] = [];
    world.intercept(({ operation, input }) => {
      if (operation === 'PutEvents') {
        taken.push(
          PutEvents.assert(input).Entries.map(({ Detail }) => Detail.metadata.id.replace(`${bookingId}#0#`, '')),
        );
      }
      return 'pass';
    });
    const worker = world.worker({
      takes: ({ command, nth, index }) => command !== 'PutEvents' || nth > 1 || index !== failing,
    });
    expect(await worker.settle()).toMatchObject({ handedBack: [] });
    // What the bus took, call by call.
    expect(taken).toEqual(calls);
    expect(Math.max(...(await finish(world)).times.values())).toBe(1);
  },
);
