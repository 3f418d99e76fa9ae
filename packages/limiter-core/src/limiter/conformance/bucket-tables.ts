import { gcra, maxClockSkewMs, tokenBucket } from '../strategies/bucket.ts';
import { no, type StepTable, yes } from './table.ts';

const hour = 3_600_000;

/** 5 at once, one more each second. */
const bucket = tokenBucket({ capacity: 5, refillPerSecond: 1 });

export const bucketTables: readonly StepTable[] = [
  {
    name: 'a bucket holds its capacity and refills evenly',
    plans: [bucket],
    steps: [
      { t: 0, cost: 3, want: { ...yes, limit: 5, remaining: 2, fullIn: 3000 } },
      { t: 0, cost: 3, want: { ...no, remaining: 2, retryAfterMs: 1000, fullIn: 3000 } },
      { t: 999, cost: 3, want: { ...no, remaining: 2, retryAfterMs: 1 } },
      { t: 1000, cost: 3, want: { ...yes, remaining: 0, fullIn: 5000 } },
      { t: 1000, want: { ...no, remaining: 0, retryAfterMs: 1000 } },
      { t: 3500, op: 'peek', cost: 2, want: { ...yes, remaining: 2, fullIn: 2500 } },
      { t: 1_000_000, cost: 5, want: { ...yes, remaining: 0 } },
      { t: 1_000_000, want: { ...no } },
    ],
  },
  {
    name: 'a cost above the capacity never fits and takes nothing',
    plans: [bucket],
    steps: [
      { t: 0, cost: 6, want: { allowed: false, reason: 'never', limit: 5, retryAfterMs: 0 } },
      { t: 0, op: 'peek', cost: 6, want: { allowed: false, reason: 'never', limit: 5 } },
      { t: 0, cost: 5, want: yes },
    ],
  },
  {
    name: 'a cost of 0 looks and takes nothing',
    plans: [bucket],
    steps: [
      { t: 0, cost: 0, want: { ...yes, remaining: 5, fullIn: 0 } },
      { t: 0, cost: 5, want: yes },
      { t: 0, cost: 0, want: { ...yes, remaining: 0 } },
    ],
  },
  {
    name: 'a rate of three in a second counts in thirds of a second',
    plans: [gcra({ limit: 3, periodMs: 1000, burst: 1 })],
    steps: [
      { t: 0, want: { ...yes, remaining: 0, fullIn: 334 } },
      { t: 333, want: { ...no, retryAfterMs: 1 } },
      { t: 334, want: { ...yes, fullIn: 334 } },
      { t: 667, want: no },
      { t: 668, want: yes },
    ],
  },
  {
    name: 'a bucket is given back what has not refilled since',
    plans: [bucket],
    steps: [
      { t: 0, cost: 4 },
      { t: 0, op: 'refund', of: 0 },
      { t: 0, cost: 5, want: { ...yes, remaining: 0 } },
      { t: 2000, op: 'refund', of: 2 },
      { t: 2000, op: 'peek', want: { ...yes, remaining: 5, fullIn: 0 } },
      { t: 2000, cost: 5, want: yes },
      { t: 7000, cost: 5, want: yes },
      { t: 7000, op: 'refund', of: 5 },
      { t: 7000, op: 'peek', want: { ...no, remaining: 0, retryAfterMs: 1000 } },
    ],
  },
  {
    name: 'a second refund of one decision gives nothing',
    plans: [bucket],
    steps: [
      { t: 0, cost: 2 },
      { t: 0, cost: 2 },
      { t: 0, op: 'refund', of: 0 },
      { t: 0, op: 'refund', of: 0 },
      { t: 0, op: 'peek', want: { remaining: 3 } },
    ],
  },
  {
    name: 'refunds in any order fill a bucket again',
    plans: [bucket],
    steps: [
      { t: 0, cost: 2 },
      { t: 0, cost: 2 },
      { t: 0, op: 'refund', of: 1 },
      { t: 0, op: 'refund', of: 0 },
      { t: 0, op: 'peek', want: { remaining: 5, fullIn: 0 } },
      { t: 0, cost: 2 },
      { t: 0, cost: 2 },
      { t: 0, op: 'refund', of: 5 },
      { t: 0, op: 'refund', of: 6 },
      { t: 0, op: 'peek', want: { remaining: 5, fullIn: 0 } },
    ],
  },
  {
    // By 2 s the second cost has refilled, since the first was given back; were it given back as well, 7 would fit.
    name: 'a cost that has refilled because an earlier one was given back is not given back again',
    plans: [bucket],
    steps: [
      { t: 0, cost: 2 },
      { t: 0, cost: 2 },
      { t: 0, op: 'refund', of: 0 },
      { t: 2000, cost: 2, want: { ...yes, remaining: 3 } },
      { t: 2000, op: 'refund', of: 1 },
      { t: 2000, op: 'peek', want: { remaining: 3, fullIn: 2000 } },
    ],
  },
  {
    name: 'the same holds while the bucket never gets full',
    plans: [bucket],
    steps: [
      { t: 0, cost: 2 },
      { t: 0, cost: 2 },
      { t: 0, op: 'refund', of: 0 },
      { t: 1500, cost: 2, want: { ...yes, remaining: 2, fullIn: 2500 } },
      { t: 1500, op: 'refund', of: 1 },
      { t: 1500, op: 'peek', want: { remaining: 3, fullIn: 2000 } },
    ],
  },
  {
    name: 'a raised capacity holds at once and a raised refill carries what is owed over in cost',
    plans: [bucket, tokenBucket({ capacity: 8, refillPerSecond: 1 }), tokenBucket({ capacity: 8, refillPerSecond: 4 })],
    steps: [
      { t: 0, cost: 5, want: { ...yes, remaining: 0 } },
      { t: 0, plan: 1, cost: 2, want: { ...yes, remaining: 1, fullIn: 7000 } },
      { t: 1000, plan: 2, cost: 1, want: { ...yes, remaining: 1, fullIn: 1750 } },
      { t: 1500, plan: 2, op: 'peek', want: { remaining: 3, fullIn: 1250 } },
      { t: 1500, op: 'refund', of: 2 },
      { t: 1500, op: 'refund', of: 0 },
      { t: 1500, plan: 2, op: 'peek', want: { remaining: 4, fullIn: 1000 } },
      { t: 1500, plan: 0, op: 'peek', want: { remaining: 1, fullIn: 4000 } },
    ],
  },
  {
    name: 'a clock that goes back a little neither fills nor forgets a bucket',
    plans: [bucket],
    steps: [
      { t: 0, cost: 5 },
      { t: -2000, want: { ...no, remaining: -2, retryAfterMs: 3000 } },
      { t: 0, want: { ...no, retryAfterMs: 1000 } },
      { t: 1000, want: yes },
    ],
  },
  {
    name: 'a bucket that a clock far ahead began is empty and fills from the first refusal on',
    plans: [bucket],
    steps: [
      { t: hour, want: yes },
      { t: 0, want: { ...no, remaining: 0, retryAfterMs: 1000, fullIn: 5000 } },
      { t: 999, want: { ...no, retryAfterMs: 1 } },
      { t: 1000, want: { ...yes, remaining: 0 } },
      { t: 5000, cost: 4, want: yes },
    ],
  },
  {
    name: 'a bucket that a clock within the skew began is as it is',
    plans: [bucket],
    steps: [
      { t: maxClockSkewMs, want: yes },
      { t: 0, want: { ...no, remaining: 4 - maxClockSkewMs / 1000, retryAfterMs: maxClockSkewMs - 3000 } },
      { t: maxClockSkewMs - 1000, want: { ...yes, remaining: 2 } },
    ],
  },
];
