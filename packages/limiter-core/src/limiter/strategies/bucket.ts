import { InvalidArgumentError } from '../../errors.ts';
import { assertPositive, assertWhole } from './assert.ts';
import type { Rule, State } from './strategy.ts';
import { maxTicksPerMs, type TickRate, tickRateOf } from './tick-rate.ts';

/**
 * A bucket's state: the theoretical arrival time (TAT) of the generic cell rate algorithm (ITU-T I.371, annex A), the
 * instant at which the bucket is full, with the rate that its ticks are of.
 */
export interface BucketState extends TickRate {
  readonly kind: 'bucket';
  /** Whole ticks since the Unix epoch. */
  readonly tat: number;
  /** The instant since which the bucket has not been full, by the clock of who took first: milliseconds since the Unix epoch. */
  readonly sinceMs: number;
  /** Given back since then from below what others had taken, which moved their ends: whole ticks. */
  readonly given: number;
}

/** A token bucket, kept as one number by the generic cell rate algorithm. */
export interface Bucket extends Rule<BucketState>, TickRate {
  readonly kind: 'bucket';
}

/** The most by which the clocks of those who share a bucket may differ. */
export const maxClockSkewMs = 60_000;

/**
 * A state that a wrong clock began: further ahead than {@link maxClockSkewMs}. The bucket is empty as of now. A store writes
 * that even where it refuses, so that the bucket fills from then on: one wrong clock locks nobody out for long.
 */
export function isFromAhead(stored: State | undefined, nowMs: number): boolean {
  return stored?.kind === 'bucket' && stored.sinceMs > nowMs + maxClockSkewMs;
}

/** The longest that an empty bucket may take to fill: milliseconds, 31 years. So every TAT is a whole number in a double. */
const maxFillMs = 1_000_000_000_000;

/**
 * A token bucket: up to `capacity` at once, refilled evenly. Over any span of Δt seconds no more than
 * capacity + refillPerSecond · Δt is allowed.
 *
 * The rate is kept as a ratio of whole numbers: exactly for whole rates up to 1,000 per second, multiples of 1,000 up to
 * 1,000,000, and every other ratio per millisecond with a numerator up to 1,000; else up to 0.2 % low, never high.
 *
 * @example
 * ```ts
 * const clock = virtualClock(0);
 * const limiter = createLimiter({ strategy: tokenBucket({ capacity: 10, refillPerSecond: 2 }), clock });
 * (await limiter.check('ada', 10)).remaining; // 0
 * clock.advance(1500);
 * (await limiter.peek('ada')).remaining; // 3
 * ```
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
 * @example
 * ```ts
 * gcra({ limit: 120, periodMs: 60_000, burst: 10 }).id; // tokenBucket({ capacity: 10, refillPerSecond: 2 }).id
 * ```
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
  const begin = (nowMs: number, owed: number): BucketState => ({
    kind: 'bucket',
    tat: nowMs * ticksPerMs + owed,
    sinceMs: nowMs,
    given: 0,
    ticksPerMs,
    ticksPerCost,
  });
  const isSameRate = (rate: TickRate): boolean => rate.ticksPerMs === ticksPerMs && rate.ticksPerCost === ticksPerCost;
  return {
    kind: 'bucket',
    id: `bucket ${capacity} ${ticksPerMs}/${ticksPerCost}`,
    limit: capacity,
    windowMs: Math.ceil(size / ticksPerMs),
    ticksPerMs,
    ticksPerCost,
    current(stored, nowMs) {
      if (stored?.kind !== 'bucket') return begin(nowMs, 0);
      if (isFromAhead(stored, nowMs)) return begin(nowMs, size);
      if (!isSameRate(stored)) return begin(nowMs, carriedOver(stored, nowMs, ticksPerCost));
      return stored.tat >= nowMs * ticksPerMs ? stored : begin(nowMs, 0);
    },
    remaining: ({ tat }, nowMs) => Math.floor((nowMs * ticksPerMs + size - tat) / ticksPerCost),
    // Field by field: a copy by spread costs more than all else that a check does.
    take: ({ tat, sinceMs, given }, _nowMs, cost) => ({
      kind: 'bucket',
      tat: tat + cost * ticksPerCost,
      sinceMs,
      given,
      ticksPerMs,
      ticksPerCost,
    }),
    giveBack(current, nowMs, cost, taken) {
      // A bucket that has been full since, or is of another rate now, has nothing left of the cost.
      if (taken.kind !== 'bucket' || taken.sinceMs !== current.sinceMs || !isSameRate(taken)) return current;
      // The cost stands for the time up to this end, which what was given back below it has moved. What of that time has
      // passed has refilled since.
      const end = taken.tat - (current.given - taken.given);
      const back = Math.min(cost * ticksPerCost, Math.max(0, end - nowMs * ticksPerMs));
      if (back === 0) return current;
      const given = current.tat === end ? current.given : current.given + back;
      return { ...current, tat: Math.max(nowMs * ticksPerMs, current.tat - back), given };
    },
    fitsAtMs: ({ tat }, nowMs, cost) => Math.max(nowMs, Math.ceil((tat + cost * ticksPerCost - size) / ticksPerMs)),
    fullAtMs: ({ tat }) => Math.ceil(tat / ticksPerMs),
  };
}

/** The debt of a bucket of another rate, carried over in cost: whole ticks of the new rate, rounded up. */
function carriedOver(stored: BucketState, nowMs: number, ticksPerCost: number): number {
  const owed = Math.max(0, stored.tat - nowMs * stored.ticksPerMs);
  const whole = Math.floor(owed / stored.ticksPerCost);
  const rest = owed - whole * stored.ticksPerCost;
  return whole * ticksPerCost + Math.ceil((rest * ticksPerCost) / stored.ticksPerCost);
}
