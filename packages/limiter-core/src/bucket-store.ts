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

/** Keeps token buckets. The one method is atomic: two callers never take the same cost. */
export interface BucketStore {
  take(request: Take): Promise<Taken>;
}

/** What a cost adds to the TAT, and how far the TAT may be ahead before: whole microseconds, on the safe side. */
export function takeMicros({ cost, rate }: Take): { increment: number; tolerance: number } {
  const increment = Math.ceil((cost * 1_000_000) / rate.refillPerSecond);
  return { increment, tolerance: Math.max(0, Math.ceil((rate.burst * 1_000_000) / rate.refillPerSecond) - increment) };
}
