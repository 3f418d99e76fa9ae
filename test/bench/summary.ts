import type { Endpoint } from './contender.ts';
import type { Measured } from './rounds.ts';

/** A row of the table. What was not measured is absent. */
export interface Line {
  readonly key: string;
  readonly name: string;
  readonly algorithm: string;
  readonly endpoint: Endpoint;
  readonly width?: number;
  readonly decisions?: number;
  readonly ratePerSecond?: number;
  /** The rate as a multiple of the baseline's, compared within each round. */
  readonly ratio?: {
    readonly median: number;
    readonly min: number;
    readonly max: number;
    /** The fastest round as a multiple of the baseline's fastest: what else the machine does can only slow a round. */
    readonly ofFastest: number;
  };
  readonly p50Ms?: number;
  readonly p99Ms?: number;
  readonly callsPer1000?: number;
  readonly readsPer1000?: number;
  readonly readUnitsPer1000?: number;
  readonly writeUnitsPer1000?: number;
  /** The number allowed beyond the limit under contention; below 0 where it was not reached. */
  readonly overshoot?: number;
}

/** The bounds that a line must keep; what is not named has none. */
export interface Bounds {
  readonly minRatio?: number;
  readonly maxCallsPer1000?: number;
  readonly maxWriteUnitsPer1000?: number;
  /** True where a contention must end at exactly the limit. */
  readonly isExact?: true;
}

/** Sums measurements up, with rates compared to those of each contender's baseline, round by round. */
export function summarise(measured: readonly Measured[]): Line[] {
  return measured.map(({ contender, width, decisions, tally, latencies, rates, contention }) => {
    const { key, name, algorithm, endpoint } = contender;
    const baseline = measured.find((other) => other.contender.key === contender.baseline);
    if (baseline === undefined) throw new Error(`There is no contender ${contender.baseline} to compare ${key} with.`);
    const per1000 = (count: number): number => (count * 1000) / decisions;
    const ratios = rates.map((rate, round) => rate / (baseline.rates[round] ?? Number.NaN));
    return {
      key,
      name,
      algorithm,
      endpoint,
      width,
      decisions,
      ratePerSecond: median(rates),
      ratio: {
        median: median(ratios),
        min: Math.min(...ratios),
        max: Math.max(...ratios),
        ofFastest: Math.max(...rates) / Math.max(...baseline.rates.slice(0, rates.length)),
      },
      p50Ms: latencies.quantile(0.5),
      p99Ms: latencies.quantile(0.99),
      ...(endpoint !== 'memory' && { callsPer1000: per1000(tally.calls) }),
      ...(endpoint === 'DynamoDB' && {
        readsPer1000: per1000(tally.reads),
        readUnitsPer1000: per1000(tally.readUnits),
        writeUnitsPer1000: per1000(tally.writeUnits),
      }),
      ...(contention !== undefined && { overshoot: contention.allowed - contention.limit }),
    };
  });
}

/** The bounds that a line misses, one sentence each; without bounds it misses none. A figure that is absent misses its bound. */
export function missedBounds(line: Line, bounds: Bounds = {}): string[] {
  const { minRatio, maxCallsPer1000, maxWriteUnitsPer1000, isExact } = bounds;
  const name = `${line.name} (${line.algorithm}, ${line.endpoint})`;
  const missed: string[] = [];
  const { median: middle, ofFastest } = line.ratio ?? { median: Number.NaN, ofFastest: Number.NaN };
  // A slow limiter is slow in its fastest round as well; a busy machine is not busy in all of them.
  if (minRatio !== undefined && !(middle >= minRatio || ofFastest >= minRatio)) {
    missed.push(
      `${name} reached ${middle.toFixed(2)} times its baseline, ${ofFastest.toFixed(2)} in the fastest rounds; at least ${minRatio} is asked.`,
    );
  }
  const calls = line.callsPer1000 ?? Number.NaN;
  if (maxCallsPer1000 !== undefined && !(calls <= maxCallsPer1000)) {
    missed.push(`${name} made ${Number(calls.toFixed(3))} calls per 1,000; at most ${maxCallsPer1000} is asked.`);
  }
  const units = line.writeUnitsPer1000 ?? Number.NaN;
  if (maxWriteUnitsPer1000 !== undefined && !(units <= maxWriteUnitsPer1000)) {
    missed.push(`${name} used ${units.toFixed(1)} write units per 1,000; at most ${maxWriteUnitsPer1000} is asked.`);
  }
  if (isExact && line.overshoot !== 0) {
    missed.push(`${name} allowed ${line.overshoot} beyond the limit under contention; exactly 0 is asked.`);
  }
  return missed;
}

/** The keys of the lines that miss a bound, before anybody has contended. */
export function missingBounds(lines: readonly Line[], bounds: ReadonlyMap<string, Bounds>): ReadonlySet<string> {
  const missing = lines.filter((line) => missedBounds({ ...line, overshoot: 0 }, bounds.get(line.key)).length > 0);
  return new Set(missing.map(({ key }) => key));
}

/** The middle value; of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const low = sorted[Math.floor((sorted.length - 1) / 2)];
  const high = sorted[Math.ceil((sorted.length - 1) / 2)];
  if (low === undefined || high === undefined) throw new RangeError('The median needs at least one value.');
  return (low + high) / 2;
}
