import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { currentStates, type Decision, decisionOf, reasonToRefuse } from '../limiter/decision.ts';
import { memory } from '../limiter/memory-store.ts';
import type { LimitStore, Limits, Policy, Seen } from '../limiter/store.ts';
import { tokenBucket } from '../limiter/strategies/bucket.ts';
import { slidingWindow } from '../limiter/strategies/sliding-window.ts';
import type { State } from '../limiter/strategies/strategy.ts';
import { calendarWindow, fixedWindow } from '../limiter/strategies/window.ts';
import { dynamoDb } from './dynamodb.ts';
import { dynaliteTable, fakeTable, type TestTable } from './testing/tables.ts';

const day = calendarWindow({ limit: 40, unit: 'day', timezone: 'Europe/Berlin' });

/** Plans of one customer: each has its rates and limits, and windows of one length. */
const plans: readonly Readonly<Record<string, Policy['strategy']>>[] = [
  { bucket: tokenBucket({ capacity: 10, refillPerSecond: 3 }) },
  { bucket: tokenBucket({ capacity: 4, refillPerSecond: 1 }) },
  { window: fixedWindow({ limit: 7, windowMs: 2000 }) },
  { sliding: slidingWindow({ limit: 9, windowMs: 2000 }) },
  { sliding: slidingWindow({ limit: 300, windowMs: 2000 }) },
  { sliding: slidingWindow({ limit: 20, windowMs: 2000 }), wide: slidingWindow({ limit: 90, windowMs: 7000 }) },
  {
    bucket: tokenBucket({ capacity: 12, refillPerSecond: 7 }),
    minute: fixedWindow({ limit: 30, windowMs: 60_000 }),
    day,
  },
  {
    bucket: tokenBucket({ capacity: 5, refillPerSecond: 0.7 }),
    sliding: slidingWindow({ limit: 20, windowMs: 2000 }),
    day,
  },
];

/** Just before a day of Berlin begins, and a minute with it. */
const startMs = Date.parse('2026-03-28T22:59:50Z');

type Command =
  | { readonly kind: 'takes'; readonly costs: readonly number[] }
  | { readonly kind: 'charge'; readonly cost: number }
  | { readonly kind: 'refund'; readonly which: number }
  | { readonly kind: 'block'; readonly forMs: number }
  | { readonly kind: 'peek' }
  | { readonly kind: 'delete' };

interface Step {
  readonly command: Command;
  readonly instance: number;
  readonly plan: number;
  readonly waitMs: number;
}

const cost = fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 1, max: 4 }) }, fc.integer({ min: 1, max: 310 }));
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ kind: fc.constant('takes'), costs: fc.array(cost, { minLength: 1, maxLength: 5 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('charge'), cost }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('refund'), which: fc.nat(7) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('block'), forMs: fc.constantFrom(0, 700, 20_000, Infinity) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('peek') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete') }) },
) as fc.Arbitrary<Command>;

/** Clocks differ: time may step back a little. */
const waitMs = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 400 }) },
  { weight: 1, arbitrary: fc.integer({ min: -400, max: 0 }) },
  { weight: 2, arbitrary: fc.integer({ min: 400, max: 9000 }) },
);

const steps = fc.record({
  planSet: fc.uniqueArray(fc.nat(plans.length - 1), { minLength: 1, maxLength: 3 }),
  steps: fc.array(fc.record({ command, instance: fc.nat(2), plan: fc.nat(2), waitMs }), {
    minLength: 1,
    maxLength: 40,
  }),
});

function decide(limits: Limits, seen: Seen, asked: number): Decision {
  return decisionOf(
    { key: limits.key, policies: limits.policies, cost: asked },
    seen,
    reasonToRefuse(limits.policies, seen, asked),
  );
}

interface Take {
  readonly limits: Limits;
  readonly cost: number;
  readonly ours: readonly State[];
  readonly models: readonly State[];
}

async function run(stores: readonly LimitStore[], key: string, planSet: readonly number[], list: readonly Step[]) {
  const model = memory();
  const takes: Take[] = [];
  let nowMs = startMs;
  for (const { command: asked, instance, plan, waitMs: wait } of list) {
    // Back over a window's turn the table may still count in the earlier window, where memory has forgotten it.
    nowMs = Math.max(nowMs + wait, Math.floor(nowMs / 1000) * 1000);
    const strategies = plans[planSet[plan % planSet.length] ?? 0] ?? {};
    const policies = Object.entries(strategies).map(([name, strategy]) => ({ name, strategy }));
    const limits: Limits = { limiter: 'api', key, policies, nowMs };
    const store = stores[instance % stores.length];
    if (store === undefined) throw new Error('no store');
    switch (asked.kind) {
      case 'takes': {
        const ours = await Promise.all(asked.costs.map((each) => store.take(limits, each)));
        for (const [i, each] of asked.costs.entries()) {
          const expected = model.takeSync(limits, each);
          const got = ours[i];
          if (got === undefined) throw new Error('no answer');
          expect(got.taken).toBe(expected.taken);
          // A take's own decision: as the key is after it.
          expect(decisionOf({ key, policies, cost: each }, got, undefined)).toEqual(
            decisionOf({ key, policies, cost: each }, expected, undefined),
          );
          if (expected.taken) {
            takes.push({
              limits,
              cost: each,
              ours: currentStates(policies, got),
              models: currentStates(policies, expected),
            });
          }
        }
        break;
      }
      case 'charge': {
        const [got, expected] = [await store.charge(limits, asked.cost), await model.charge(limits, asked.cost)];
        expect(decide(limits, got, 1)).toEqual(decide(limits, expected, 1));
        break;
      }
      case 'refund': {
        const [take] = takes.splice(asked.which % Math.max(1, takes.length), 1);
        if (take === undefined) break;
        await store.giveBack({ ...take.limits, nowMs }, take.cost, take.ours);
        await model.giveBack({ ...take.limits, nowMs }, take.cost, take.models);
        break;
      }
      case 'block': {
        const untilMs = Math.min(8.64e15, nowMs + asked.forMs);
        await store.block(limits, untilMs);
        await model.block(limits, untilMs);
        break;
      }
      case 'delete':
        await store.delete(limits);
        await model.delete(limits);
        break;
      case 'peek':
        break;
    }
    expect(decide(limits, await store.peek(limits), 1)).toEqual(decide(limits, await model.peek(limits), 1));
  }
}

describe.each([
  ['that brings the item of a failed condition', fakeTable, 150],
  ['that brings none', dynaliteTable, 25],
] as const)('on a table %s', (_, startTable, numRuns) => {
  let table: TestTable;
  beforeAll(async () => {
    table = await startTable();
  });
  afterAll(() => table.close());

  test('several processes decide as one that has all in its memory', async () => {
    let serial = 0;
    await fc.assert(
      fc.asyncProperty(steps, async ({ planSet, steps: list }) => {
        const stores = Array.from({ length: 3 }, () =>
          dynamoDb({ tableName: table.tableName, client: table.client(), refusalCacheMs: 0 }),
        );
        await run(stores, `key-${serial++}`, planSet, list);
      }),
      { numRuns },
    );
  });
});
