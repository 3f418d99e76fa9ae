import type { Rate } from '../token-bucket.ts';

/** A granted row, when it is due, and the rate that it was settled under. */
export interface DueRow extends Rate {
  readonly cost: number;
  readonly dueAtMs: number;
}

/**
 * Promise 6 by brute force: of every interval between two due instants, the cost due in it as a share of what may be,
 * max(burst, largest single cost) + refill × length, at the highest refill and burst of the rows due in it.
 *
 * @returns the largest share: at most 1 where the promise is kept
 */
export function largestShare(rows: readonly DueRow[]): number {
  const sorted = rows.toSorted((a, b) => a.dueAtMs - b.dueAtMs);
  let largest = 0;
  for (const [i, first] of sorted.entries()) {
    // What is due at the same instant belongs to the same intervals.
    if (sorted[i - 1]?.dueAtMs === first.dueAtMs) continue;
    let [total, atOnce, refillPerSecond] = [0, 0, 0];
    for (let j = i; j < sorted.length; j++) {
      const row = sorted[j] ?? first;
      total += row.cost;
      atOnce = Math.max(atOnce, row.cost, row.burst);
      refillPerSecond = Math.max(refillPerSecond, row.refillPerSecond);
      if (sorted[j + 1]?.dueAtMs === row.dueAtMs) continue;
      const allowed = atOnce + (refillPerSecond * (row.dueAtMs - first.dueAtMs)) / 1000;
      largest = Math.max(largest, total / allowed);
    }
  }
  return largest;
}
