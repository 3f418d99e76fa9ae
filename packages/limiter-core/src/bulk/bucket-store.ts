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

/** The answer to a take. */
export interface Taken {
  /** False where the bucket held too little; then nothing was taken. */
  readonly taken: boolean;
  /** The bucket's TAT afterwards, microseconds since the Unix epoch. */
  readonly tatMicros: number;
}

/**
 * A store of token buckets. The one method is atomic: two callers never take the same cost. A bucket that owes more than it
 * can ({@link boundsOf}) is made an empty one.
 */
export interface BucketStore {
  take(request: Take): Promise<Taken>;
}

/**
 * The time in which one unit of cost refills: whole microseconds, rounded up. So sums are exact, and a full bucket gives
 * its burst to the last unit. The rate is kept a little low by that, by at most refill / 1,000,000 of itself.
 */
export function intervalMicros(rate: Rate): number {
  return Math.ceil(1_000_000 / rate.refillPerSecond);
}

/** The difference below which two clocks count as the same. Else each could undo what the other's takes cost. */
export const clockSkewMs = 60_000;

/**
 * The TAT of an empty bucket and the latest that one may be: microseconds since the Unix epoch. No take brings a TAT
 * beyond that of an empty bucket. One that lies further ahead than clocks differ was written by a clock that was wrong,
 * or under another rate: such a bucket is empty, and owes no more.
 */
export function boundsOf({ rate, nowMs }: Take): { readonly emptyMicros: number; readonly latestMicros: number } {
  const emptyMicros = nowMs * 1000 + rate.burst * intervalMicros(rate);
  return { emptyMicros, latestMicros: emptyMicros + clockSkewMs * 1000 };
}

/** The increment that a cost adds to the TAT, and the most that the TAT may be ahead before: whole microseconds. */
export function takeMicros({ cost, rate }: Take): { increment: number; tolerance: number } {
  const interval = intervalMicros(rate);
  return { increment: cost * interval, tolerance: Math.max(0, (rate.burst - cost) * interval) };
}
