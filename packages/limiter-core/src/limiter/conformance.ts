import { describe, test } from 'vitest';
import { bucketTables } from './conformance/bucket-tables.ts';
import { commonTables } from './conformance/common-tables.ts';
import { scenarios } from './conformance/scenarios.ts';
import { contend, contended, keepApart } from './conformance/sharing.ts';
import type { MakeStore } from './conformance/store-under-test.ts';
import { follow } from './conformance/table.ts';
import { walk } from './conformance/walk.ts';
import { slidingTables, windowTables } from './conformance/window-tables.ts';

export type { MakeStore, StoreUnderTest } from './conformance/store-under-test.ts';

/** The length of a suite's random walks. */
export interface ConformanceOptions {
  /**
   * Steps of each walk.
   *
   * @default 10,000
   */
  readonly steps?: number;
  /**
   * Keys that are walked with at the same time: a slow store is asked for all of them at once.
   *
   * @default 20
   */
  readonly keysAtOnce?: number;
  /**
   * The number that a walk follows from.
   *
   * @default 1
   */
  readonly seed?: number;
  /**
   * The time that one walk may take: milliseconds.
   *
   * @default 60,000
   */
  readonly timeoutMs?: number;
}

/**
 * The tests that every store of limits passes: the same decisions for the same timed inputs, as tables and as random
 * walks, each strategy by itself and several together.
 */
export function limitStoreConformance(name: string, make: MakeStore, options: ConformanceOptions = {}): void {
  const { steps = 10_000, keysAtOnce = 20, seed = 1, timeoutMs = 60_000 } = options;
  describe(`${name} as a store of limits`, () => {
    test.each([...bucketTables, ...windowTables, ...slidingTables, ...commonTables])('$name', async (table) =>
      follow(make, table),
    );

    test.each(contended)('allows $name no more than its limit, however many ask at once', async (strategy) =>
      contend(make, strategy),
    );

    test('takes no two keys, and no two limiters, for one', async () => keepApart(make));

    test.each(scenarios)(
      'decides as the model does on a random walk: $name',
      async (scenario) => walk(make, scenario, { steps, keysAtOnce, seed }),
      timeoutMs,
    );
  });
}
