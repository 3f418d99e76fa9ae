import type { Clock } from '../clock.ts';
import { InvalidArgumentError } from '../errors.ts';
import { type BucketStore, intervalMicros } from './bucket-store.ts';
import type { Rate } from './token-bucket.ts';

/**
 * The answer to one check. `not_yet` is worth a retry after `retryAfterMs`; `never` asks for more than the bucket ever
 * holds.
 */
export type Check =
  | ({ readonly kind: 'allowed' } & Level)
  | ({ readonly kind: 'not_yet'; readonly retryAfterMs: number } & Level)
  | { readonly kind: 'never' };

/** A bucket's level. */
export interface Level {
  /** Cost that can be taken at once, a whole number ≥ 0. */
  readonly remaining: number;
  /** The instant at which the bucket is full again: milliseconds since the Unix epoch. */
  readonly resetAtMs: number;
}

export interface LimiterOptions {
  readonly store: BucketStore;
  readonly rate: Rate;
  readonly clock: Clock;
}

/** A token bucket per key for callers that want an answer on the spot. */
export class Limiter {
  readonly #options: LimiterOptions;

  constructor(options: LimiterOptions) {
    this.#options = options;
  }

  /**
   * Takes cost from the key's bucket, or tells the wait until it could. A denial takes nothing.
   *
   * @param cost a whole number ≥ 1
   * @throws what the store throws: an error is never an answer
   */
  async check(key: string, cost: number): Promise<Check> {
    if (!Number.isSafeInteger(cost) || cost < 1) {
      throw new InvalidArgumentError(`A cost must be a whole number ≥ 1 (was ${cost})`);
    }
    const { store, rate, clock } = this.#options;
    if (cost > rate.burst) return { kind: 'never' };
    const nowMs = clock();
    const { taken, tatMicros } = await store.take({ key, cost, rate, nowMs });
    const interval = intervalMicros(rate);
    const aheadMicros = Math.max(0, tatMicros - nowMs * 1000);
    const level = {
      remaining: Math.max(0, Math.floor(rate.burst - aheadMicros / interval)),
      resetAtMs: Math.ceil(tatMicros / 1000),
    };
    if (taken) return { kind: 'allowed', ...level };
    const missingMicros = aheadMicros - (rate.burst - cost) * interval;
    return { kind: 'not_yet', retryAfterMs: Math.max(1, Math.ceil(missingMicros / 1000)), ...level };
  }
}
