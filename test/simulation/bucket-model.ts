import type { Policy } from '@usher/limiter-core/bulk';
import { dayMs } from './times.ts';

export type Pace = Pick<Policy, 'refillPerSecond' | 'burst'>;

/** The furthest a row may be due after its decision, and the furthest that clocks differ: of architecture.md. */
const longestWaitMs = 12 * dayMs;
const longestSkewMs = dayMs;

/**
 * A token bucket in its plainest form: the instant at which nothing is left in it. A cost moves that instant on by the
 * time in which it refills; a full bucket's lies as far back as its burst needs. When the pace changes, an instant to
 * come stays, and one that has passed is put where the tokens since then come out the same. A cost above the burst
 * waits until the bucket would have refilled for it.
 */
export class BucketModel {
  #emptyAtMs: number;
  #pace: Pace | undefined;
  /** The last decision that granted anything. */
  readonly atMs: number;
  /** The most that rounding can have made due instants later, in milliseconds. */
  roundedMs: number;

  constructor(of: { emptyAtMs: number; pace?: Pace; atMs: number; roundedMs: number } = newBucket) {
    this.#emptyAtMs = of.emptyAtMs;
    this.#pace = of.pace;
    this.atMs = of.atMs;
    this.roundedMs = of.roundedMs;
  }

  /** True where this bucket can only have been left by a wrong clock. */
  isAheadOf(atMs: number): boolean {
    return this.atMs - atMs > longestSkewMs;
  }

  /** This bucket for a decision at an instant, under a pace. */
  openedAt(atMs: number, pace: Pace): BucketModel {
    const fullMs = (pace.burst / pace.refillPerSecond) * 1000;
    const from = this.#pace ?? pace;
    const isChanged = from.refillPerSecond !== pace.refillPerSecond || from.burst !== pace.burst;
    let emptyAtMs = Math.max(this.#emptyAtMs, atMs - (from.burst / from.refillPerSecond) * 1000);
    let roundedMs = emptyAtMs > this.#emptyAtMs + this.roundedMs ? 0 : this.roundedMs;
    if (this.isAheadOf(atMs)) [emptyAtMs, roundedMs] = [atMs, 0];
    else if (isChanged && emptyAtMs >= atMs) [emptyAtMs, roundedMs] = [Math.ceil(emptyAtMs - 0.01), roundedMs + 1];
    else if (isChanged) {
      const slower = from.refillPerSecond / pace.refillPerSecond;
      emptyAtMs = Math.max(atMs - (atMs - emptyAtMs) * slower, atMs - fullMs);
      roundedMs = roundedMs * (1 + slower) + 1;
    }
    return new BucketModel({ emptyAtMs, pace, atMs, roundedMs });
  }

  /** The instant, not rounded, at which a cost is due that is the next one. */
  dueAtMs(cost: number): number {
    const { refillPerSecond } = this.#pace ?? { refillPerSecond: Number.NaN };
    return Math.max(this.atMs, this.#emptyAtMs + (cost / refillPerSecond) * 1000);
  }

  /** The answer to whether a cost would be due too late; `perhaps` where rounding decides. */
  isTooLate(cost: number): 'yes' | 'no' | 'perhaps' {
    const waitsMs = this.dueAtMs(cost) - this.atMs;
    if (waitsMs > longestWaitMs + 0.01) return 'yes';
    return waitsMs + this.roundedMs + 1 > longestWaitMs ? 'perhaps' : 'no';
  }

  /** Takes a cost, and tells when it is due. */
  take(cost: number): number {
    const { refillPerSecond, burst } = this.#pace ?? { refillPerSecond: Number.NaN, burst: Number.NaN };
    const dueAtMs = this.dueAtMs(cost);
    const leftMs = ((burst - Math.min(cost, burst)) / refillPerSecond) * 1000;
    this.#emptyAtMs = Math.max(this.#emptyAtMs + (cost / refillPerSecond) * 1000, dueAtMs - leftMs);
    this.roundedMs += 1;
    return dueAtMs;
  }
}

const newBucket = { emptyAtMs: Number.NEGATIVE_INFINITY, atMs: Number.NEGATIVE_INFINITY, roundedMs: 0 };
