import { InvalidArgumentError } from '../errors.ts';

/**
 * A token bucket kept as one number, the theoretical arrival time (TAT) of the generic cell rate algorithm
 * (GCRA; ITU-T I.371, annex A): the instant at which the bucket would be full again. Its units are cost, not requests.
 */
export interface Bucket extends Rate {
  /** Whole microseconds since the Unix epoch, for the refill and burst beside it. */
  readonly tatMicros: number;
  /** The latest instant that anything was scheduled at: milliseconds since the Unix epoch. */
  readonly asOfMs: number;
}

/** A bucket's rate: its refill and its size. The burst refills within {@link maxFillSeconds}. */
export interface Rate {
  /** Cost per second, greater than 0. */
  readonly refillPerSecond: number;
  /** Cost that a full bucket holds, a whole number ≥ 1. */
  readonly burst: number;
}

/** A bucket at an instant, under the rate that holds then: all that scheduling needs. */
export interface BucketAt {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** The distance of the TAT from `nowMs`: whole microseconds; 0 for a full bucket. */
  readonly debtMicros: number;
}

/** A schedule: the due instant of each cost of a list, and the bucket's debt after all of them. */
export interface Schedule {
  /** Due instants in whole milliseconds since the Unix epoch, ascending, one for each cost. */
  readonly dueAtMs: readonly number[];
  /** The debt when all is scheduled, the time from `nowMs` to the TAT: whole microseconds, rounded up. */
  readonly debtMicros: number;
}

const microsPerSecond = 1_000_000;
const dayMs = 86_400_000;

/** The longest that an empty bucket may take to be full, 31 years: so every TAT is a whole number that a double holds. */
export const maxFillSeconds = 1_000_000_000;

/** The longest that a row may wait for its turn. One that would wait longer is rejected: nobody waits for it any more. */
export const maxBacklogMs = 12 * dayMs;

/**
 * The most by which the clocks of an account's workers may differ. The margin is wide on purpose: a right clock taken
 * for a wrong one forgets a backlog, a wrong one taken for a right one holds the account up for no longer than this.
 */
export const maxClockSkewMs = dayMs;

/**
 * Opens a bucket under the rate that holds now. An absent bucket is full.
 *
 * **Time.** The instant is the later of the clock and of the last one that anything was scheduled at: a bucket's time
 * never goes back, so that clocks may differ without a cost to the promise. A bucket from more than
 * {@link maxClockSkewMs} ahead was scheduled by a wrong clock; `aheadMs` tells how far. It is emptied as of now. Any
 * other one has nothing scheduled further ahead than {@link maxClockSkewMs} and {@link maxBacklogMs} together.
 *
 * **Changes.** Let E = TAT − burst / refill, the instant at which nothing is left. Where refill or burst has changed, a
 * backlog (E ≥ now) is carried over in time: E stays, rounded up to the millisecond as the rows due before it are. In
 * cost, a raised refill would put new rows among those. Tokens (E < now) are carried over in cost, as many as both
 * bursts hold. In time, a raised refill would multiply them.
 */
export function openBucket(
  bucket: Bucket | undefined,
  rate: Rate,
  clockMs: number,
): BucketAt & { readonly aheadMs?: number } {
  if (bucket === undefined) return { nowMs: clockMs, debtMicros: 0 };
  const aheadMs = bucket.asOfMs - clockMs;
  if (aheadMs > maxClockSkewMs) return { nowMs: clockMs, debtMicros: Math.ceil(microsOf(rate.burst, rate)), aheadMs };
  const nowMs = Math.max(clockMs, bucket.asOfMs);
  const owedMicros = Math.max(0, bucket.tatMicros - nowMs * 1000);
  if (bucket.refillPerSecond === rate.refillPerSecond && bucket.burst === rate.burst) {
    return { nowMs, debtMicros: owedMicros };
  }
  const emptyMicros = owedMicros - microsOf(bucket.burst, bucket);
  if (emptyMicros >= 0) {
    const roundedMicros = Math.ceil(emptyMicros / 1000) * 1000;
    return { nowMs, debtMicros: Math.ceil(roundedMicros + microsOf(rate.burst, rate)) };
  }
  const tokens = Math.min((-emptyMicros * bucket.refillPerSecond) / microsPerSecond, rate.burst);
  return { nowMs, debtMicros: Math.ceil(microsOf(rate.burst - tokens, rate)) };
}

/** The bucket that an open one is kept as. */
export function closeBucket({ nowMs, debtMicros }: BucketAt, { refillPerSecond, burst }: Rate): Bucket {
  return { tatMicros: nowMs * 1000 + debtMicros, refillPerSecond, burst, asOfMs: nowMs };
}

/**
 * Hands out due instants on a bucket, one cost after another; what is asked and not taken moves nothing.
 *
 * With T = 1 / refill and τ = burst · T, a cost c is due at max(now, TAT + c·T − τ), rounded up to the millisecond,
 * and moves the TAT to max(TAT + c·T, due + min(c, burst)·T). The second term is what makes the rounding safe: for any
 * i ≤ j, Σ cost(i…j) ≤ max(burst, cost(i)) + refill · (due(j) − due(i)), on the rounded instants themselves. A cost
 * above the burst is not refused, it waits until the bucket would have refilled for it.
 */
export class Scheduler {
  readonly #nowMs: number;
  readonly #rate: Rate;
  // The TAT is kept as a whole number of microseconds after now plus a whole cost, so that a long list adds up exactly.
  #anchorMicros: number;
  #cost = 0;

  /** @throws InvalidArgumentError for a rate outside its domain */
  constructor({ nowMs, debtMicros }: BucketAt, rate: Rate) {
    assertRate(rate);
    this.#nowMs = nowMs;
    this.#anchorMicros = debtMicros;
    this.#rate = rate;
  }

  /**
   * The due instant of a cost, were it the next one taken: milliseconds since the Unix epoch.
   *
   * @param cost a whole number ≥ 1
   * @throws InvalidArgumentError for another cost
   */
  dueAtMs(cost: number): number {
    if (!Number.isSafeInteger(cost) || cost < 1) {
      throw new InvalidArgumentError(`A cost must be a whole number ≥ 1 (was ${cost})`);
    }
    const conformingMicros = this.#anchorMicros + microsOf(this.#cost + cost - this.#rate.burst, this.#rate);
    return this.#nowMs + Math.max(0, Math.ceil(conformingMicros / 1000));
  }

  /** Takes a cost at an instant: the one that {@link dueAtMs} tells or, where something else holds it back, a later one. */
  take(cost: number, dueAtMs: number): void {
    const dueMicros = (dueAtMs - this.#nowMs) * 1000;
    const held = Math.min(cost, this.#rate.burst);
    if (dueMicros + microsOf(held, this.#rate) > this.#anchorMicros + microsOf(this.#cost + cost, this.#rate)) {
      this.#anchorMicros = dueMicros;
      this.#cost = held;
    } else {
      this.#cost += cost;
    }
  }

  /** The distance of the TAT from the instant of opening, with all that was taken: whole microseconds, rounded up. */
  get debtMicros(): number {
    return Math.ceil(this.#anchorMicros + microsOf(this.#cost, this.#rate));
  }
}

/**
 * Schedules a list of costs, in order: {@link Scheduler} for all of them.
 *
 * @param costs whole numbers ≥ 1
 * @param notBeforeMs for each cost an instant before which it is not due (milliseconds since the Unix epoch), where
 * something else than the bucket holds it back; the same bound holds
 * @throws InvalidArgumentError for a rate or a cost outside its domain
 */
export function schedule(
  bucket: BucketAt,
  rate: Rate,
  costs: readonly number[],
  notBeforeMs: readonly number[] = [],
): Schedule {
  const scheduler = new Scheduler(bucket, rate);
  const dueAtMs = costs.map((cost, i) => {
    const due = Math.max(scheduler.dueAtMs(cost), notBeforeMs[i] ?? 0);
    scheduler.take(cost, due);
    return due;
  });
  return { dueAtMs, debtMicros: scheduler.debtMicros };
}

/** The time in which a cost refills, in microseconds. */
function microsOf(cost: number, { refillPerSecond }: Rate): number {
  return (cost * microsPerSecond) / refillPerSecond;
}

function assertRate({ refillPerSecond, burst }: Rate): void {
  if (!(refillPerSecond > 0 && Number.isFinite(refillPerSecond))) {
    throw new InvalidArgumentError(`refillPerSecond must be a finite number > 0 (was ${refillPerSecond})`);
  }
  if (!Number.isSafeInteger(burst) || burst < 1) {
    throw new InvalidArgumentError(`burst must be a whole number ≥ 1 (was ${burst})`);
  }
  if (burst > refillPerSecond * maxFillSeconds) {
    throw new InvalidArgumentError(`burst must refill within ${maxFillSeconds} s (was ${burst} at ${refillPerSecond})`);
  }
}
