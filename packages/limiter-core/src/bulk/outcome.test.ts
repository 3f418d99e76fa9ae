import { describe, expect, test } from 'vitest';
import { amounts, dispatchTimes, thresholdsReached, usedAfter } from './outcome.ts';
import { noon, outcomeOf, rowsOf } from './testing/build.ts';

describe('thresholds reached', () => {
  const table: {
    story: string;
    usedBefore: number;
    grantedCost: number;
    limitBefore: number | null;
    limit: number;
    thresholds: number[];
    reached: number[];
  }[] = [
    {
      story: 'below all',
      usedBefore: 0,
      grantedCost: 7,
      limitBefore: null,
      limit: 10,
      thresholds: [0.8, 1],
      reached: [],
    },
    {
      story: 'exactly at one',
      usedBefore: 0,
      grantedCost: 8,
      limitBefore: null,
      limit: 10,
      thresholds: [0.8, 1],
      reached: [0.8],
    },
    {
      story: 'two at once',
      usedBefore: 0,
      grantedCost: 10,
      limitBefore: null,
      limit: 10,
      thresholds: [0.8, 1],
      reached: [0.8, 1],
    },
    {
      story: 'one passed before',
      usedBefore: 8,
      grantedCost: 2,
      limitBefore: 10,
      limit: 10,
      thresholds: [0.8, 1],
      reached: [1],
    },
    {
      story: 'both passed before',
      usedBefore: 10,
      grantedCost: 0,
      limitBefore: 10,
      limit: 10,
      thresholds: [0.8, 1],
      reached: [],
    },
    {
      story: 'usage from before a limit was kept',
      usedBefore: 8,
      grantedCost: 2,
      limitBefore: null,
      limit: 10,
      thresholds: [0.8, 1],
      reached: [0.8, 1],
    },
    {
      story: 'limit lowered, nothing granted',
      usedBefore: 6,
      grantedCost: 0,
      limitBefore: 10,
      limit: 6,
      thresholds: [0.8, 1],
      reached: [0.8, 1],
    },
    {
      story: 'limit lowered to 0 with usage',
      usedBefore: 6,
      grantedCost: 0,
      limitBefore: 10,
      limit: 0,
      thresholds: [0.8, 1],
      reached: [0.8, 1],
    },
    {
      story: 'limit 0 without usage',
      usedBefore: 0,
      grantedCost: 0,
      limitBefore: null,
      limit: 0,
      thresholds: [0.8, 1],
      reached: [],
    },
    {
      story: 'limit raised, share falls',
      usedBefore: 10,
      grantedCost: 0,
      limitBefore: 10,
      limit: 20,
      thresholds: [0.8, 1],
      reached: [],
    },
    {
      story: 'limit raised, then reached anew',
      usedBefore: 10,
      grantedCost: 6,
      limitBefore: 20,
      limit: 20,
      thresholds: [0.8, 1],
      reached: [0.8],
    },
    {
      story: 'limit raised and reached in one chunk',
      usedBefore: 10,
      grantedCost: 10,
      limitBefore: 10,
      limit: 20,
      thresholds: [0.8, 1],
      reached: [],
    },
    {
      story: 'exactly 0.07 of 100, though the product of the doubles is above 7',
      usedBefore: 0,
      grantedCost: 7,
      limitBefore: null,
      limit: 100,
      thresholds: [0.07],
      reached: [0.07],
    },
    {
      story: 'exactly 0.7 of 10',
      usedBefore: 0,
      grantedCost: 7,
      limitBefore: null,
      limit: 10,
      thresholds: [0.7],
      reached: [0.7],
    },
    {
      story: 'no thresholds',
      usedBefore: 0,
      grantedCost: 10,
      limitBefore: null,
      limit: 10,
      thresholds: [],
      reached: [],
    },
  ];

  test.each(table)('$story', ({ story: _, reached, ...fields }) => {
    expect(thresholdsReached(outcomeOf(fields))).toEqual(reached);
  });

  test('every whole percentage of a limit is reached exactly at it and not one unit before', () => {
    for (let limit = 100; limit <= 2000; limit += 100) {
      for (let percent = 1; percent <= 100; percent++) {
        const fields = { limit, thresholds: [percent / 100] };
        const exact = (limit / 100) * percent;
        expect(thresholdsReached(outcomeOf({ ...fields, grantedCost: exact }))).toEqual([percent / 100]);
        expect(thresholdsReached(outcomeOf({ ...fields, grantedCost: exact - 1 }))).toEqual([]);
      }
    }
  });
});

test('amounts count rows by decision and carry the cost that was counted', () => {
  const reasons = [null, 'daily_quota_exceeded', null, 'exceeds_limit'] as const;
  const outcome = outcomeOf({ reasons, grantedCost: 5, rejectedCost: 20, usedBefore: 2 });
  expect(amounts(outcome)).toEqual({ granted: { count: 2, cost: 5 }, rejected: { count: 2, cost: 20 } });
  expect(usedAfter(outcome)).toBe(7);
});

test('in observe mode a row is granted and due whatever the quota says, and not where it would be due too late', () => {
  const reasons = [null, 'daily_quota_exceeded', 'pacing_backlog_full', 'exceeds_limit'] as const;
  const outcome = outcomeOf({ reasons, policyMode: 'observe', grantedCost: 4, rejectedCost: 9, burst: 1 });
  expect(amounts(outcome)).toEqual({ granted: { count: 3, cost: 4 }, rejected: { count: 1, cost: 9 } });
  expect(dispatchTimes(outcome, rowsOf([1, 2, 9, 1]))).toEqual([noon, noon + 200, null, noon + 300]);
});

test('a rejected row is never due and takes no slot', () => {
  const reasons = [null, 'daily_quota_exceeded', null] as const;
  const outcome = outcomeOf({ reasons, burst: 1, refillPerSecond: 10 });
  expect(dispatchTimes(outcome, rowsOf([1, 50, 1]))).toEqual([noon, null, noon + 100]);
});

test('rows are due after what the bucket owed when they were settled', () => {
  const outcome = outcomeOf({ reasons: [null, null], burst: 1, refillPerSecond: 10, debtMicros: 2_000_000 });
  expect(dispatchTimes(outcome, rowsOf([1, 1]))).toEqual([noon + 2000, noon + 2100]);
});
