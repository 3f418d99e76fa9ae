import { describe, expect, test } from 'vitest';
import { InvalidArgumentError } from '../errors.ts';
import { step } from './testing/bucket-step.ts';
import { type Bucket, maxFillSeconds, openBucket, type Rate, Scheduler, schedule } from './token-bucket.ts';

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

  test('a clock that goes back is waited for, and does not empty the bucket', () => {
    expectSteps(rate, [
      { now: 5000, costs: [1], due: [5000] },
      { now: 9000, costs: [1], due: [9000] },
      { now: 8900, costs: [1, 1, 1], due: [9000, 9000, 9100] },
    ]);
  });
});

test('a due instant is rounded up to the millisecond, never down', () => {
  expectSteps({ refillPerSecond: 3, burst: 1 }, [{ now: 0, costs: [1, 1, 1, 1], due: [0, 334, 668, 1002] }]);
});

test('a debt is rounded up to the microsecond, never down', () => {
  const rate = { refillPerSecond: 3, burst: 5 };
  expect(schedule({ debtMicros: 0, nowMs: 0 }, rate, [1]).debtMicros).toBe(333_334);
  const changed = openBucket({ tatMicros: 1_000_000, refillPerSecond: 1, burst: 1, asOfMs: 0 }, rate, 0);
  expect(changed.debtMicros).toBe(1_666_667);
});

test('a debt under the same refill is what it was, to the microsecond', () => {
  // 3 × 0.1 / 0.1 is a little more than 3 in doubles, and would be rounded up.
  const rate = { refillPerSecond: 0.1, burst: 1 };
  expect(openBucket({ ...rate, tatMicros: 3, asOfMs: 0 }, rate, 0)).toEqual({ nowMs: 0, debtMicros: 3 });
});

test('nothing is due before the instant that holds it back, and what follows keeps its distance from there', () => {
  const { dueAtMs } = step(undefined, 1000, { refillPerSecond: 10, burst: 1 }, [1, 1, 1], [1000, 5000, 1000]);
  expect(dueAtMs).toEqual([1000, 5000, 5100]);
});

test('an absent bucket and one whose TAT has passed owe nothing', () => {
  const rate = { refillPerSecond: 10, burst: 3 };
  const debtOf = (tatMicros: number): number => openBucket({ ...rate, tatMicros, asOfMs: 0 }, rate, 5000).debtMicros;
  expect(openBucket(undefined, rate, 5000)).toEqual({ nowMs: 5000, debtMicros: 0 });
  expect(debtOf(4_999_999)).toBe(0);
  expect(debtOf(5_000_001)).toBe(1);
});

test('a cost that is asked about and not taken moves nothing', () => {
  const scheduler = new Scheduler({ nowMs: 5000, debtMicros: 0 }, { refillPerSecond: 10, burst: 3 });
  expect([scheduler.dueAtMs(2), scheduler.dueAtMs(8), scheduler.dueAtMs(2)]).toEqual([5000, 5500, 5000]);
  expect(scheduler.debtMicros).toBe(0);
  scheduler.take(2, scheduler.dueAtMs(2));
  expect([scheduler.debtMicros, scheduler.dueAtMs(2)]).toEqual([200_000, 5100]);
});

test('the slowest bucket that there may be counts in whole microseconds', () => {
  const rate = { refillPerSecond: 0.1, burst: 0.1 * maxFillSeconds };
  const nowMs = Date.UTC(2135, 0);
  const emptied = step(undefined, nowMs, rate, [rate.burst, 1]);
  expect(emptied.dueAtMs).toEqual([nowMs, nowMs + 10_000]);
  expect(Number.isSafeInteger(emptied.bucket.tatMicros)).toBe(true);
});

test.each([
  { refillPerSecond: 0, burst: 1, costs: [1], field: 'refillPerSecond' },
  { refillPerSecond: -1, burst: 1, costs: [1], field: 'refillPerSecond' },
  { refillPerSecond: Number.NaN, burst: 1, costs: [1], field: 'refillPerSecond' },
  { refillPerSecond: Number.POSITIVE_INFINITY, burst: 1, costs: [1], field: 'refillPerSecond' },
  { refillPerSecond: 1, burst: 0, costs: [1], field: 'burst' },
  { refillPerSecond: 1, burst: 1.5, costs: [1], field: 'burst' },
  { refillPerSecond: 0.1, burst: 100_000_001, costs: [1], field: 'burst' },
  { refillPerSecond: 1, burst: 1, costs: [0], field: 'cost' },
  { refillPerSecond: 1, burst: 1, costs: [1, 0.5], field: 'cost' },
])('a rate or cost outside its domain is refused by name ($field)', ({ costs, field, ...rate }) => {
  const run = (): unknown => schedule({ debtMicros: 0, nowMs: 0 }, rate, costs);
  expect(run).toThrow(InvalidArgumentError);
  expect(run).toThrow(field);
});
