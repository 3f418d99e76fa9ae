import type { Rate } from '@usher/limiter-core/bulk';

/** One row's due instant, milliseconds since the Unix epoch, and its cost. */
export interface Due {
  readonly atMs: number;
  readonly cost: number;
}

/**
 * True for a schedule within its pace: over any interval of L seconds, both ends included, its cost is at most
 * max(burst, largest single cost) + refill × L. With P the running cost in order of time this says, for all i ≤ j,
 * P(j) − refill · t(j) ≤ bound + P(i − 1) − refill · t(i), so that one pass with the least right side so far decides it.
 */
export function keepsPace(rows: readonly Due[], { burst, refillPerSecond }: Rate): boolean {
  const ordered = [...rows].sort((a, b) => a.atMs - b.atMs);
  const startMs = ordered[0]?.atMs ?? 0;
  const bound = ordered.reduce((largest, { cost }) => Math.max(largest, cost), burst);
  let running = 0;
  let least = Number.POSITIVE_INFINITY;
  return ordered.every(({ atMs, cost }) => {
    const refilled = ((atMs - startMs) / 1000) * refillPerSecond;
    least = Math.min(least, running - refilled);
    running += cost;
    // A billionth of a unit is the rounding of this check's own sums.
    return running - refilled <= bound + least + 1e-9 * Math.max(1, running);
  });
}
