import { tokenBucket } from '../strategies/bucket.ts';
import { slidingWindow } from '../strategies/sliding-window.ts';
import { fixedWindow } from '../strategies/window.ts';
import { no, type StepTable, yes } from './table.ts';

const hour = 3_600_000;

/** 5 at once, one more each second. */
const bucket = tokenBucket({ capacity: 5, refillPerSecond: 1 });
const window = fixedWindow({ limit: 5, windowMs: 1000 });
const sliding = slidingWindow({ limit: 10, windowMs: 1000 });

export const commonTables: readonly StepTable[] = [
  {
    name: 'of several limits all take a cost or none does',
    plans: [{ burst: bucket, window: fixedWindow({ limit: 7, windowMs: 10_000 }) }],
    steps: [
      { t: 0, cost: 5, want: { ...yes, limit: 5, remaining: 0 } },
      { t: 0, cost: 1, want: { ...no, limit: 5, retryAfterMs: 1000 } },
      { t: 5000, cost: 3, want: { ...no, limit: 7, remaining: 2, retryAfterMs: 5000 } },
      { t: 5000, op: 'peek', cost: 2, want: { ...yes, limit: 7, remaining: 2 } },
      { t: 5000, cost: 2, want: { ...yes, limit: 7, remaining: 0 } },
      { t: 10_000, op: 'peek', want: { ...yes, limit: 5, remaining: 5 } },
    ],
  },
  {
    name: 'of two refusals the longer wait is told',
    plans: [
      {
        short: tokenBucket({ capacity: 1, refillPerSecond: 1 }),
        long: tokenBucket({ capacity: 1, refillPerSecond: 0.5 }),
      },
    ],
    steps: [
      { t: 0, want: yes },
      { t: 0, want: { ...no, retryAfterMs: 2000, fullIn: 2000 } },
      { t: 1500, want: { ...no, retryAfterMs: 500 } },
      { t: 2000, want: yes },
    ],
  },
  {
    name: 'a charge takes whatever is left and is made up for',
    plans: [{ burst: bucket, window: fixedWindow({ limit: 20, windowMs: 10_000 }) }],
    steps: [
      { t: 0, op: 'charge', cost: 8, want: { ...no, remaining: -3, retryAfterMs: 3000, fullIn: 8000 } },
      { t: 0, cost: 0, want: { ...no, retryAfterMs: 3000 } },
      { t: 0, want: { ...no, retryAfterMs: 4000 } },
      { t: 3000, cost: 0, want: { ...yes, remaining: 0 } },
      { t: 4000, want: { ...yes, remaining: 0 } },
      { t: 4000, op: 'charge', cost: 0, want: { ...yes, remaining: 0 } },
      { t: 4000, op: 'refund', of: 0 },
      { t: 4000, op: 'peek', want: { ...yes, remaining: 4 } },
    ],
  },
  {
    name: 'a blocked key refuses, keeps its counts, and fills meanwhile',
    plans: [bucket],
    steps: [
      { t: 0, cost: 4, want: yes },
      { t: 0, op: 'block', forMs: 2000 },
      { t: 0, want: { allowed: false, reason: 'blocked', remaining: 1, retryAfterMs: 2000, fullIn: 2000 } },
      { t: 0, cost: 4, want: { allowed: false, reason: 'blocked', retryAfterMs: 3000 } },
      { t: 0, op: 'peek', want: { allowed: false, reason: 'blocked', retryAfterMs: 2000 } },
      { t: 1999, op: 'charge', want: { allowed: false, reason: 'blocked', remaining: 1, retryAfterMs: 1 } },
      { t: 2000, want: { ...yes, remaining: 1 } },
    ],
  },
  {
    name: 'a block outlives its key being full, and ends when it is told to',
    plans: [window],
    steps: [
      { t: 0, op: 'block', forMs: Number.POSITIVE_INFINITY },
      { t: 30 * 24 * hour, want: { allowed: false, reason: 'blocked' } },
      { t: 30 * 24 * hour, op: 'block', forMs: 0 },
      { t: 30 * 24 * hour, want: { ...yes, remaining: 4 } },
    ],
  },
  {
    name: 'a deleted key is full and not blocked',
    plans: [{ burst: bucket, sliding }],
    steps: [
      { t: 0, cost: 5, want: yes },
      { t: 0, op: 'block', forMs: hour },
      { t: 0, op: 'delete' },
      { t: 0, cost: 5, want: { ...yes, remaining: 0 } },
      { t: 0, op: 'delete' },
      { t: 0, op: 'peek', want: { remaining: 5, fullIn: 0 } },
    ],
  },
  {
    name: 'a refund of a refusal, of a look and of a charge',
    plans: [window],
    steps: [
      { t: 0, cost: 3 },
      { t: 0, cost: 3, want: no },
      { t: 0, op: 'refund', of: 1 },
      { t: 0, op: 'peek', want: { remaining: 2 } },
      { t: 0, op: 'refund', of: 3 },
      { t: 0, op: 'charge', cost: 4, want: { ...no, remaining: -2 } },
      { t: 0, op: 'refund', of: 5 },
      { t: 0, op: 'peek', want: { remaining: 2 } },
    ],
  },
];
