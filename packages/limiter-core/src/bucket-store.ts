import type { Rate } from './token-bucket.ts';

/** One request to take cost from a bucket. */
export interface Take {
  readonly key: string;
  /** A whole number ≥ 1, at most the burst. */
  readonly cost: number;
  readonly rate: Rate;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
}

/** Whether the cost was taken, and the bucket's TAT (microseconds since the Unix epoch) afterwards. */
export interface Taken {
  readonly taken: boolean;
  readonly tatMicros: number;
}

/**
 * Keeps token buckets. The one method is atomic: two callers never take the same cost. A bucket that owes more than it
 * can ({@link boundsOf}) is made an empty one.
 */
export interface BucketStore {
  take(request: Take): Promise<Taken>;
}

/**
 * The time in which one unit of cost refills: whole microseconds, rounded up, so that sums are exact and a full bucket
 * gives its burst to the last unit. A rate is kept a little low by that, by at most refill / 1,000,000 of itself.
 */
export function intervalMicros(rate: Rate): number {
  return Math.ceil(1_000_000 / rate.refillPerSecond);
}

/** Clocks that differ by less are taken for the same; were they not, each of two could undo what the other's takes cost. */
export const clockSkewMs = 60_000;

/**
 * How far a TAT may lie ahead at all, and what an empty bucket's TAT is: microseconds since the Unix epoch. No take
 * brings a TAT beyond that of an empty bucket, so one that lies ahead by more than clocks differ was written by a clock
 * that was wrong, or under another rate. Such a bucket is empty, and owes no more.
 */
export function boundsOf({ rate, nowMs }: Take): { readonly emptyMicros: number; readonly latestMicros: number } {
  const emptyMicros = nowMs * 1000 + rate.burst * intervalMicros(rate);
  return { emptyMicros, latestMicros: emptyMicros + clockSkewMs * 1000 };
}

/** What a cost adds to the TAT, and how far the TAT may be ahead before: whole microseconds. */
export function takeMicros({ cost, rate }: Take): { increment: number; tolerance: number } {
  const interval = intervalMicros(rate);
  return { increment: cost * interval, tolerance: Math.max(0, (rate.burst - cost) * interval) };
}
