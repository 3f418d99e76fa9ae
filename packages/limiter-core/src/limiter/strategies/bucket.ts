import { InvalidArgumentError } from '../../errors.ts';
import { assertPositive, assertWhole } from './assert.ts';
import type { Rule } from './strategy.ts';
import { maxTicksPerMs, type TickRate, tickRateOf } from './tick-rate.ts';

/**
 * A bucket's state: the theoretical arrival time (TAT) of the generic cell rate algorithm (ITU-T I.371, annex A), the
 * instant at which the bucket is full, with the rate that its ticks are of.
 */
export interface BucketState extends TickRate {
  readonly kind: 'bucket';
  /** Whole ticks since the Unix epoch. */
  readonly tat: number;
  /** The instant of the last change, by the clock of who made it: milliseconds since the Unix epoch. */
  readonly asOfMs: number;
}

/** A token bucket, kept as one number by the generic cell rate algorithm. */
export interface Bucket extends Rule<BucketState>, TickRate {
  readonly kind: 'bucket';
}

/**
 * The most by which the clocks of those who share a bucket may differ. A bucket changed further ahead than this was changed
 * by a wrong clock. It is empty as of now, so that one bad clock locks nobody out, and nobody gains by it.
 */
export const maxClockSkewMs = 60_000;

/** The longest that an empty bucket may take to fill: milliseconds, 31 years. So every TAT is a whole number in a double. */
const maxFillMs = 1_000_000_000_000;

/**
 * A token bucket: up to `capacity` at once, refilled evenly. Over any span of Δt seconds no more than
 * capacity + refillPerSecond · Δt is allowed.
 *
 * The rate is kept as a ratio of whole numbers: exactly for whole rates up to 1,000 per second, multiples of 1,000 up to
 * 1,000,000, and every other ratio with a numerator up to 1,000 per millisecond; else up to 0.1 % low, never high.
 *
 * @throws InvalidArgumentError for a capacity that is no whole number ≥ 1, a refill outside (0, 1,000,000], or a bucket
 * that takes more than 31 years to fill
 */
export function tokenBucket(options: { readonly capacity: number; readonly refillPerSecond: number }): Bucket {
  const { capacity, refillPerSecond } = options;
  assertWhole('capacity', capacity);
  assertPositive('refillPerSecond', refillPerSecond, maxTicksPerMs * 1000);
  return newBucket('capacity', capacity, tickRateOf(refillPerSecond / 1000));
}

/**
 * The same bucket, said as a rate: `limit` in each `periodMs`, spaced evenly, with up to `burst` at once.
 *
 * @param options.burst a whole number ≥ 1; the limit when left out
 * @throws InvalidArgumentError as {@link tokenBucket}
 */
export function gcra(options: { readonly limit: number; readonly periodMs: number; readonly burst?: number }): Bucket {
  const { limit, periodMs, burst = limit } = options;
  assertWhole('limit', limit);
  assertWhole('periodMs', periodMs);
  assertWhole('burst', burst);
  assertPositive('limit / periodMs', limit / periodMs, maxTicksPerMs);
  return newBucket('burst', burst, tickRateOf(limit / periodMs));
}

function newBucket(field: string, capacity: number, { ticksPerMs, ticksPerCost }: TickRate): Bucket {
  const size = capacity * ticksPerCost;
  if (size > maxFillMs * ticksPerMs) {
    throw new InvalidArgumentError(`${field} must refill within ${maxFillMs} ms (was ${capacity})`);
  }
  const at = (tat: number, asOfMs: number): BucketState => ({ kind: 'bucket', tat, asOfMs, ticksPerMs, ticksPerCost });
  return {
    kind: 'bucket',
    id: `bucket ${capacity} ${ticksPerMs}/${ticksPerCost}`,
    limit: capacity,
    windowMs: Math.ceil(size / ticksPerMs),
    ticksPerMs,
    ticksPerCost,
    current(stored, nowMs) {
      const now = nowMs * ticksPerMs;
      if (stored?.kind !== 'bucket') return at(now, nowMs);
      if (stored.asOfMs > nowMs + maxClockSkewMs) return at(now + size, nowMs);
      if (stored.ticksPerMs === ticksPerMs && stored.ticksPerCost === ticksPerCost) {
        return stored.tat >= now ? stored : at(now, nowMs);
      }
      // Another rate: what is owed is carried over in cost.
      const owed = Math.max(0, stored.tat - nowMs * stored.ticksPerMs) / stored.ticksPerCost;
      return at(now + Math.ceil(owed * ticksPerCost), nowMs);
    },
    remaining: ({ tat }, nowMs) => Math.floor((nowMs * ticksPerMs + size - tat) / ticksPerCost),
    take: ({ tat }, nowMs, cost) => at(tat + cost * ticksPerCost, nowMs),
    giveBack({ tat }, nowMs, cost, taken) {
      // The cost stands for the last part of the time up to the TAT of then. What of it has passed has refilled since.
      if (taken.kind !== 'bucket') return at(tat, nowMs);
      const owed = Math.max(0, taken.tat - nowMs * taken.ticksPerMs);
      const back =
        taken.ticksPerMs === ticksPerMs && taken.ticksPerCost === ticksPerCost
          ? Math.min(cost * ticksPerCost, owed)
          : Math.floor(Math.min(cost, owed / taken.ticksPerCost) * ticksPerCost);
      return at(Math.max(nowMs * ticksPerMs, tat - back), nowMs);
    },
    fitsAtMs: ({ tat }, nowMs, cost) => Math.max(nowMs, Math.ceil((tat + cost * ticksPerCost - size) / ticksPerMs)),
    fullAtMs: ({ tat }, nowMs) => Math.max(nowMs, Math.ceil(tat / ticksPerMs)),
  };
}
