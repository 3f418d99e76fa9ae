/**
 * A rate as a ratio of whole numbers: a millisecond has `ticksPerMs` ticks, a unit of cost takes `ticksPerCost` of them to
 * refill. Time and cost are then whole numbers of the same unit, and sums of them are exact wherever they are made.
 */
export interface TickRate {
  /** A whole number from 1 to {@link maxTicksPerMs}. */
  readonly ticksPerMs: number;
  /** A whole number ≥ 1. */
  readonly ticksPerCost: number;
}

/** The finest tick: the instants of the next hundred years, in ticks, stay whole numbers that a double holds. */
export const maxTicksPerMs = 1000;

/** A ratio this near is the one that was meant: rates such as 0.1 have no exact double. */
const nearly = 1e-12;

/** Ratios by their rates: a strategy that is a function of a plan is made anew for each check. */
const known = new Map<number, TickRate>();
const maxKnown = 1000;

/**
 * The ratio nearest to a rate from below, so that no more is allowed than was asked for.
 *
 * @param costPerMs greater than 0, at most {@link maxTicksPerMs}
 */
export function tickRateOf(costPerMs: number): TickRate {
  const rate = known.get(costPerMs) ?? findTickRate(costPerMs);
  if (known.size < maxKnown) known.set(costPerMs, rate);
  return rate;
}

function findTickRate(costPerMs: number): TickRate {
  let best = { ticksPerMs: 1, ticksPerCost: Math.ceil(1 / costPerMs) };
  for (let ticksPerMs = 1; ticksPerMs <= maxTicksPerMs; ticksPerMs++) {
    const exact = ticksPerMs / costPerMs;
    const nearest = Math.round(exact);
    if (nearest >= 1 && Math.abs(nearest - exact) <= nearly * exact) return { ticksPerMs, ticksPerCost: nearest };
    const ticksPerCost = Math.ceil(exact);
    if (ticksPerMs * best.ticksPerCost > best.ticksPerMs * ticksPerCost) best = { ticksPerMs, ticksPerCost };
  }
  return best;
}
