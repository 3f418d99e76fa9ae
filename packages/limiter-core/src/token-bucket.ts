import { InvalidArgumentError } from './errors.ts';

/**
 * A token bucket kept as one number, the theoretical arrival time (TAT) of the generic cell rate algorithm
 * (GCRA; ITU-T I.371, annex A): the instant at which the bucket would be full again. Its units are cost, not requests.
 */
export interface Bucket {
  /** Whole microseconds since the Unix epoch. */
  readonly tatMicros: number;
  /** The refill that the TAT was computed under, in cost per second. */
  readonly refillPerSecond: number;
}

/** A bucket's rate: its refill and its size. */
export interface Rate {
  /** Cost per second, greater than 0. */
  readonly refillPerSecond: number;
  /** Cost that a full bucket holds, a whole number ≥ 1. */
  readonly burst: number;
}

/** A schedule: the due instant of each cost of a list, and the bucket's debt after all of them. */
export interface Schedule {
  /** Due instants in whole milliseconds since the Unix epoch, ascending, one for each cost. */
  readonly dueAtMs: readonly number[];
  /** The debt when all is scheduled, the time from `nowMs` to the TAT: whole microseconds, rounded up. */
  readonly debtMicros: number;
}

const microsPerSecond = 1_000_000;

/**
 * The furthest a TAT may lie ahead, about a hundred years: beyond, whole microseconds would leave a double's exact
 * range. Only observe mode, which grants what can never be handed on, could get there; what is later shares that slot.
 */
export const maxDebtMicros = 3_155_760_000 * microsPerSecond;

/**
 * A bucket's debt at an instant, in microseconds of the given refill. A full or absent bucket owes nothing.
 * Where the refill changed since, the debt is carried over in cost, not in time: an empty bucket stays empty.
 * A clock that went back never pays a debt off.
 */
export function debtAt(bucket: Bucket | undefined, refillPerSecond: number, nowMs: number): number {
  if (bucket === undefined) return 0;
  const owed = Math.max(0, bucket.tatMicros - nowMs * 1000);
  if (bucket.refillPerSecond === refillPerSecond) return Math.min(owed, maxDebtMicros);
  return Math.min(Math.ceil((owed * bucket.refillPerSecond) / refillPerSecond), maxDebtMicros);
}

/** The bucket whose debt at an instant is the given one. */
export function bucketOwing(debtMicros: number, refillPerSecond: number, nowMs: number): Bucket {
  return { tatMicros: nowMs * 1000 + debtMicros, refillPerSecond };
}

/**
 * Schedules a list of costs, in order, on a bucket that owes `debtMicros` at `nowMs`.
 *
 * With T = 1 / refill and τ = burst · T, a cost c is due at max(now, TAT + c·T − τ), rounded up to the millisecond,
 * and moves the TAT to max(TAT + c·T, due + min(c, burst)·T). The second term is what makes the rounding safe: for any
 * i ≤ j, Σ cost(i…j) ≤ max(burst, cost(i)) + refill · (due(j) − due(i)), on the rounded instants themselves. A cost
 * above the burst is not refused, it waits until the bucket would have refilled for it.
 *
 * @param costs whole numbers ≥ 1
 * @param notBeforeMs for each cost an instant before which it is not due (milliseconds since the Unix epoch), where
 * something else than the bucket holds it back; the same bound holds
 * @throws InvalidArgumentError for a rate or a cost outside its domain
 */
export function schedule(
  bucket: { readonly debtMicros: number; readonly nowMs: number },
  rate: Rate,
  costs: readonly number[],
  notBeforeMs: readonly number[] = [],
): Schedule {
  assertRate(rate);
  const { burst } = rate;
  const microsOf = (cost: number): number => (cost * microsPerSecond) / rate.refillPerSecond;
  // The TAT is kept as a whole number of microseconds after now plus a whole cost, so that a long list adds up exactly.
  let anchorMicros = bucket.debtMicros;
  let cost = 0;
  const dueAtMs: number[] = [];
  for (const [i, c] of costs.entries()) {
    if (!Number.isSafeInteger(c) || c < 1)
      throw new InvalidArgumentError(`A cost must be a whole number ≥ 1 (was ${c})`);
    const conformingMs = Math.ceil((anchorMicros + microsOf(cost + c - burst)) / 1000);
    const dueMs = Math.min(Math.max(0, conformingMs, (notBeforeMs[i] ?? 0) - bucket.nowMs), maxDebtMicros / 1000);
    dueAtMs.push(bucket.nowMs + dueMs);
    const held = Math.min(c, burst);
    if (dueMs * 1000 + microsOf(held) > anchorMicros + microsOf(cost + c)) {
      anchorMicros = dueMs * 1000;
      cost = held;
    } else {
      cost += c;
    }
  }
  return { dueAtMs, debtMicros: Math.min(Math.ceil(anchorMicros + microsOf(cost)), maxDebtMicros) };
}

function assertRate({ refillPerSecond, burst }: Rate): void {
  if (!(refillPerSecond > 0 && Number.isFinite(refillPerSecond))) {
    throw new InvalidArgumentError(`refillPerSecond must be a finite number > 0 (was ${refillPerSecond})`);
  }
  if (!Number.isSafeInteger(burst) || burst < 1) {
    throw new InvalidArgumentError(`burst must be a whole number ≥ 1 (was ${burst})`);
  }
}
