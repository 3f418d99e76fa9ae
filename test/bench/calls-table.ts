import { fixedWindow, type Strategy, slidingWindow, tokenBucket } from '@usher/limiter-core';
import { countCalls } from './bucket-calls.ts';

/** Calls per allowed check of one strategy, by the number of processes and the share of the refill that is asked for. */
export interface CallsRow {
  readonly strategy: string;
  readonly processes: number;
  /** In the order of {@link demandShares}. */
  readonly callsPerAllowed: readonly number[];
}

/** The demand as a share of the refill, ρ; of a window, of its limit. */
export const demandShares = [0.05, 0.5, 0.9] as const;

const perSecond = 100;
const processCounts = [1, 8, 32] as const;
const strategies: Readonly<Record<string, Strategy>> = {
  'token bucket': tokenBucket({ capacity: 100, refillPerSecond: perSecond }),
  'fixed window': fixedWindow({ limit: perSecond * 10, windowMs: 10_000 }),
  'sliding window': slidingWindow({ limit: perSecond * 10, windowMs: 10_000 }),
};

/** Counts every cell of the table. */
export async function countCallsTable(checks: number): Promise<CallsRow[]> {
  const rows: CallsRow[] = [];
  for (const [name, strategy] of Object.entries(strategies)) {
    for (const processes of processCounts) {
      const callsPerAllowed: number[] = [];
      for (const share of demandShares) {
        const demandPerSecond = share * perSecond;
        const { calls, refused, allowed } = await countCalls({ strategy, processes, demandPerSecond, checks, seed: 1 });
        // A refusal is one call of its own.
        callsPerAllowed.push((calls - refused) / allowed);
      }
      rows.push({ strategy: name, processes, callsPerAllowed });
    }
  }
  return rows;
}
