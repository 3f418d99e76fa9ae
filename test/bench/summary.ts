import type { Measured } from './rounds.ts';

/** A contender's line of the table. */
export interface Line {
  readonly name: string;
  readonly width: number;
  readonly reservations: number;
  readonly callsPer1000: number;
  readonly writeUnitsPer1000: number;
  readonly readUnitsPer1000: number;
  readonly failedConditionsPer1000: number;
  readonly ratePerSecond: number;
  /** The rate as a multiple of the baseline's, compared within each round. */
  readonly ratio: { readonly median: number; readonly min: number; readonly max: number };
}

/** The bounds that a line must keep. */
export interface Bounds {
  readonly minRatio: number;
  readonly maxCallsPer1000: number;
  readonly maxWriteUnitsPer1000: number;
}

/** Sums measurements up, with rates compared to those of the contender named as baseline, round by round. */
export function summarise(measured: readonly Measured[], baselineName: string): Line[] {
  const baseline = measured.find(({ name }) => name === baselineName);
  if (baseline === undefined) throw new Error(`There is no contender ${baselineName} to compare with.`);
  return measured.map(({ name, width, reservations, tally, rates }) => {
    const per1000 = (count: number): number => (count * 1000) / reservations;
    const ratios = rates.map((rate, round) => rate / (baseline.rates[round] ?? Number.NaN));
    return {
      name,
      width,
      reservations,
      callsPer1000: per1000(tally.calls),
      writeUnitsPer1000: per1000(tally.writeUnits),
      readUnitsPer1000: per1000(tally.readUnits),
      failedConditionsPer1000: per1000(tally.failedConditions),
      ratePerSecond: median(rates),
      ratio: { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) },
    };
  });
}

/** The bounds that a line misses, one sentence each; without bounds it misses none. */
export function missedBounds(
  { name, ratio, callsPer1000, writeUnitsPer1000 }: Line,
  bounds: Bounds | undefined,
): string[] {
  if (bounds === undefined) return [];
  const missed: string[] = [];
  if (!(ratio.median >= bounds.minRatio)) {
    missed.push(`${name} reached ${ratio.median.toFixed(1)} times the baseline; at least ${bounds.minRatio} is asked.`);
  }
  if (!(callsPer1000 <= bounds.maxCallsPer1000)) {
    missed.push(`${name} made ${callsPer1000.toFixed(1)} calls per 1,000; at most ${bounds.maxCallsPer1000} is asked.`);
  }
  if (!(writeUnitsPer1000 <= bounds.maxWriteUnitsPer1000)) {
    missed.push(
      `${name} used ${writeUnitsPer1000.toFixed(1)} write units per 1,000; ` +
        `at most ${bounds.maxWriteUnitsPer1000} is asked.`,
    );
  }
  return missed;
}

/** The middle value; of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const low = sorted[Math.floor((sorted.length - 1) / 2)];
  const high = sorted[Math.ceil((sorted.length - 1) / 2)];
  if (low === undefined || high === undefined) throw new RangeError('The median needs at least one value.');
  return (low + high) / 2;
}
