import { describe, expect, test } from 'vitest';
import { InvalidArgumentError } from './errors.ts';
import { step } from './testing/bucket-step.ts';
import { type Bucket, debtAt, maxDebtMicros, type Rate, schedule } from './token-bucket.ts';

interface Step {
  readonly now: number;
  readonly costs: number[];
  readonly due: number[];
}

function expectSteps(rate: Rate, steps: readonly Step[]): void {
  let bucket: Bucket | undefined;
  for (const { now, costs, due } of steps) {
    const after = step(bucket, now, rate, costs);
    expect({ now, due: after.dueAtMs }).toEqual({ now, due });
    bucket = after.bucket;
  }
}

describe('with 10 a second and a burst of 3', () => {
  const rate = { refillPerSecond: 10, burst: 3 };

  test('a full bucket hands its burst on at once and the rest one by one', () => {
    expectSteps(rate, [{ now: 5000, costs: [1, 1, 1, 1, 1], due: [5000, 5000, 5000, 5100, 5200] }]);
  });

  test('costs count, not rows', () => {
    expectSteps(rate, [{ now: 5000, costs: [2, 2, 3, 1], due: [5000, 5100, 5400, 5500] }]);
  });

  test('a cost waits for those scheduled before it', () => {
    expectSteps(rate, [
      { now: 5000, costs: [3, 3], due: [5000, 5300] },
      { now: 5000, costs: [1], due: [5400] },
      { now: 5450, costs: [1], due: [5500] },
    ]);
  });

  test('a quiet time fills the bucket to its burst and no further', () => {
    expectSteps(rate, [
      { now: 5000, costs: [3], due: [5000] },
      { now: 5200, costs: [2, 1], due: [5200, 5300] },
      { now: 99_000, costs: [3, 1], due: [99_000, 99_100] },
    ]);
  });

  test('a cost above the burst waits until the bucket would have refilled for it', () => {
    expectSteps(rate, [
      { now: 5000, costs: [8, 1], due: [5500, 5600] },
      { now: 5600, costs: [4], due: [6000] },
    ]);
  });

  test('a clock that goes back neither fills the bucket nor moves what it owes', () => {
    expectSteps(rate, [
      { now: 5000, costs: [3, 1], due: [5000, 5100] },
      { now: 4000, costs: [1], due: [5200] },
      { now: 5000, costs: [1], due: [5300] },
    ]);
  });

  test('a clock that goes back under a full bucket does not empty it', () => {
    expectSteps(rate, [
      { now: 5000, costs: [1], due: [5000] },
      { now: 9000, costs: [1], due: [9000] },
      { now: 8900, costs: [1, 1], due: [8900, 9000] },
    ]);
  });
});

test('a due instant is rounded up to the millisecond, never down', () => {
  expectSteps({ refillPerSecond: 3, burst: 1 }, [{ now: 0, costs: [1, 1, 1, 1], due: [0, 334, 668, 1002] }]);
});

test('a debt is rounded up to the microsecond, never down', () => {
  const rate = { refillPerSecond: 3, burst: 5 };
  expect(schedule({ debtMicros: 0, nowMs: 0 }, rate, [1]).debtMicros).toBe(333_334);
  expect(debtAt({ tatMicros: 1, refillPerSecond: 1 }, 3, 0)).toBe(1);
});

test('a debt under the same refill is what it was, to the microsecond', () => {
  // 3 × 0.1 / 0.1 is a little more than 3 in doubles, and would be rounded up.
  expect(debtAt({ tatMicros: 3, refillPerSecond: 0.1 }, 0.1, 0)).toBe(3);
});

test('nothing is due before the instant that holds it back, and what follows keeps its distance from there', () => {
  const { dueAtMs } = step(undefined, 1000, { refillPerSecond: 10, burst: 1 }, [1, 1, 1], [1000, 5000, 1000]);
  expect(dueAtMs).toEqual([1000, 5000, 5100]);
});

test('a refill that changes carries the debt over in cost: an empty bucket stays empty', () => {
  const fast = { refillPerSecond: 100, burst: 100 };
  const slow = { refillPerSecond: 1, burst: 100 };
  const emptied = step(undefined, 10_000, fast, [100]).bucket;
  expect(debtAt(emptied, 100, 10_000)).toBe(1_000_000);
  expect(debtAt(emptied, 1, 10_000)).toBe(100_000_000);
  expect(step(emptied, 10_000, slow, [1, 1]).dueAtMs).toEqual([11_000, 12_000]);
  expect(step(step(emptied, 10_000, slow, [1]).bucket, 10_000, fast, [1]).dueAtMs).toEqual([10_020]);
});

test('a burst that changes needs no carrying: the debt is what it was', () => {
  const emptied = step(undefined, 10_000, { refillPerSecond: 10, burst: 5 }, [5]).bucket;
  expect(step(emptied, 10_000, { refillPerSecond: 10, burst: 7 }, [2, 1]).dueAtMs).toEqual([10_000, 10_100]);
});

test('an absent bucket and one whose TAT has passed owe nothing', () => {
  expect(debtAt(undefined, 10, 5000)).toBe(0);
  expect(debtAt({ tatMicros: 4_999_999, refillPerSecond: 10 }, 10, 5000)).toBe(0);
  expect(debtAt({ tatMicros: 5_000_001, refillPerSecond: 10 }, 10, 5000)).toBe(1);
});

test('past a hundred years of debt everything shares the last slot, and the TAT stays a whole number', () => {
  const rate = { refillPerSecond: 0.1, burst: 1 };
  const nowMs = Date.UTC(2035, 0);
  const far = step(undefined, nowMs, rate, [1_000_000_000, 1_000_000_000]);
  expect(far.dueAtMs).toEqual([nowMs + maxDebtMicros / 1000, nowMs + maxDebtMicros / 1000]);
  expect(far.debtMicros).toBe(maxDebtMicros);
  expect(Number.isSafeInteger(far.bucket.tatMicros)).toBe(true);
  const further = step(far.bucket, nowMs - 1000, rate, [5]);
  expect(further.dueAtMs).toEqual([nowMs - 1000 + maxDebtMicros / 1000]);
  expect(debtAt(far.bucket, 0.01, nowMs)).toBe(maxDebtMicros);
});

test.each([
  { refillPerSecond: 0, burst: 1, costs: [1], field: 'refillPerSecond' },
  { refillPerSecond: -1, burst: 1, costs: [1], field: 'refillPerSecond' },
  { refillPerSecond: Number.NaN, burst: 1, costs: [1], field: 'refillPerSecond' },
  { refillPerSecond: Number.POSITIVE_INFINITY, burst: 1, costs: [1], field: 'refillPerSecond' },
  { refillPerSecond: 1, burst: 0, costs: [1], field: 'burst' },
  { refillPerSecond: 1, burst: 1.5, costs: [1], field: 'burst' },
  { refillPerSecond: 1, burst: 1, costs: [0], field: 'cost' },
  { refillPerSecond: 1, burst: 1, costs: [1, 0.5], field: 'cost' },
])('a rate or cost outside its domain is refused by name ($field)', ({ costs, field, ...rate }) => {
  const run = (): unknown => schedule({ debtMicros: 0, nowMs: 0 }, rate, costs);
  expect(run).toThrow(InvalidArgumentError);
  expect(run).toThrow(field);
});
