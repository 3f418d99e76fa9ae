import fc from 'fast-check';
import { expect, test } from 'vitest';
import { costLists, rates } from './testing/arbitraries.ts';
import { step } from './testing/bucket-step.ts';
import type { Bucket, Rate } from './token-bucket.ts';

const runs = fc.array(
  fc.record({ elapsedMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 20_000 })), costs: costLists }),
  { minLength: 1, maxLength: 6 },
);

interface Handed {
  readonly cost: number;
  readonly due: number;
}

/** Every run in turn, each on the bucket that the one before left. */
function handOn(
  rate: Rate,
  lists: readonly { elapsedMs: number; costs: number[] }[],
  start = 1_764_000_000_000,
): Handed[] {
  const handed: Handed[] = [];
  let bucket: Bucket | undefined;
  let nowMs = start;
  for (const { elapsedMs, costs } of lists) {
    nowMs += elapsedMs;
    const after = step(bucket, nowMs, rate, costs);
    handed.push(...costs.map((cost, i) => ({ cost, due: after.dueAtMs[i] ?? Number.NaN })));
    bucket = after.bucket;
  }
  return handed;
}

/** Promise 6, by brute force: no interval between two due instants hands on more than the bound. */
function expectConforming({ refillPerSecond, burst }: Rate, handed: readonly Handed[]): void {
  const largest = Math.max(burst, ...handed.map(({ cost }) => cost));
  for (let i = 0; i < handed.length; i++) {
    let total = 0;
    for (let j = i; j < handed.length; j++) {
      total += handed[j]?.cost ?? Number.NaN;
      const lengthMs = (handed[j]?.due ?? Number.NaN) - (handed[i]?.due ?? Number.NaN);
      // A double holds 0.3 only nearly; the excess that this allows is a billionth of a unit of cost.
      expect(total).toBeLessThanOrEqual(largest + (refillPerSecond * lengthMs) / 1000 + 1e-9 * largest);
    }
  }
}

test('no interval hands on more than the burst, or its largest cost, and what refilled meanwhile', () => {
  fc.assert(fc.property(rates, runs, (rate, lists) => expectConforming(rate, handOn(rate, lists))));
});

test('that holds when the clock goes back between the lists', () => {
  const jumping = fc.array(fc.record({ elapsedMs: fc.integer({ min: -20_000, max: 20_000 }), costs: costLists }), {
    minLength: 2,
    maxLength: 6,
  });
  fc.assert(fc.property(rates, jumping, (rate, lists) => expectConforming(rate, handOn(rate, lists))));
});

test('that holds when rows are held back by something else', () => {
  const held = fc.array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 9000 })), {
    minLength: 1,
    maxLength: 20,
  });
  fc.assert(
    fc.property(rates, held, (rate, rows) => {
      const costs = rows.map(([cost]) => cost);
      const notBefore = rows.map(([, ms]) => ms);
      const { dueAtMs } = step(undefined, 1000, rate, costs, notBefore);
      for (const [i, due] of dueAtMs.entries()) expect(due).toBeGreaterThanOrEqual(notBefore[i] ?? Number.NaN);
      expectConforming(
        rate,
        costs.map((cost, i) => ({ cost, due: dueAtMs[i] ?? Number.NaN })),
      );
    }),
  );
});

test('while the clock goes forward, due instants ascend from list to list and never lie in the past', () => {
  fc.assert(
    fc.property(rates, runs, (rate, lists) => {
      const handed = handOn(rate, lists);
      for (let i = 1; i < handed.length; i++) {
        expect(handed[i]?.due).toBeGreaterThanOrEqual(handed[i - 1]?.due ?? Number.NaN);
      }
      expect(handed[0]?.due).toBeGreaterThanOrEqual(1_764_000_000_000);
    }),
  );
});

test('cutting a list into chunks at one instant delays nothing by more than the rounding of each cut', () => {
  fc.assert(
    fc.property(rates, costLists, costLists, (rate, first, second) => {
      const whole = handOn(rate, [{ elapsedMs: 0, costs: [...first, ...second] }]);
      const cut = handOn(rate, [
        { elapsedMs: 0, costs: first },
        { elapsedMs: 0, costs: second },
      ]);
      for (const [i, { due }] of cut.entries()) {
        expect(Math.abs(due - (whole[i]?.due ?? Number.NaN))).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test('a long list at a refill that no microsecond divides does not drift', () => {
  const costs = new Array<number>(10_000).fill(1);
  const { dueAtMs } = step(undefined, 0, { refillPerSecond: 3, burst: 1000 }, costs);
  expect(dueAtMs.at(-1)).toBe(3_000_000);
});
