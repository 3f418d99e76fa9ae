import { expect, test } from 'vitest';
import { type Books, finish } from '../support/books.ts';
import { book } from '../support/case.ts';
import { at, type Faults } from '../support/process-faults.ts';
import { startWorld, visibilityMs } from '../support/world.ts';

/** Settles a booking under the old policy by a worker with these faults; then the policy changes and it comes again. */
async function settledUnder(faults: Faults, changed: object): Promise<Books> {
  const world = await startWorld({ ada: { dailyLimit: 10, refillPerSecond: 1, burst: 2 } });
  await book(world, 'ada', 'crash', [4, 9, 3, 2]);
  await world.worker(faults).settle();
  await world.setPolicies({ ada: changed });
  world.clock.advance(visibilityMs);
  return finish(world);
}

test.each([
  { change: 'a higher limit', policy: { dailyLimit: 1_000, refillPerSecond: 100, burst: 100 } },
  { change: 'a limit of nothing', policy: { dailyLimit: 0 } },
  { change: 'observe mode', policy: { dailyLimit: 10, mode: 'observe' } },
  { change: 'another zone', policy: { timezone: 'Asia/Tokyo', thresholds: [0.1] } },
])(
  'case 28: counted, then a crash, then $change: verdict, slots, ids and events are those of the first settling',
  async ({ policy }) => {
    const original = await settledUnder({}, policy);
    for (const step of ['BatchWriteItem', 'PutEvents', 'SendMessageBatch']) {
      const { times: _, ...books } = await settledUnder(at(step, 1, 'crash before'), policy);
      expect(books).toEqual({ ...original, times: undefined });
    }
  },
);
