import type { Contender, Contention, ContentionRequest } from './contender.ts';
import { type Latencies, newLatencies } from './latencies.ts';
import { emptyTally, plus, type Tally } from './meter.ts';

/** A contender's figures over all rounds. */
export interface Measured {
  readonly contender: Contender;
  /** Operations in flight. */
  readonly width: number;
  readonly decisions: number;
  readonly tally: Tally;
  readonly latencies: Latencies;
  /** Decisions per second, round by round. */
  readonly rates: readonly number[];
  /** Absent where no two callers contend for a key. */
  readonly contention: Contention | undefined;
}

export interface RoundsOptions {
  /** The most rounds. */
  readonly rounds: number;
  /** The time, search included, after which no further round begins; three are run in any case. */
  readonly budgetMs: number;
  /** The share of a round's decisions in a trial of the search. */
  readonly trialShare: number;
  /** The trials of each width, judged by the best: other work on the machine can only slow a trial. */
  readonly searchPasses: number;
  readonly contention: ContentionRequest;
  /** The keys of those that miss a bound so far; nobody has contended yet. */
  readonly missing: (measured: readonly Measured[]) => ReadonlySet<string>;
  readonly onProgress: (line: string) => void;
}

const minRounds = 3;

/** The rounds that a contender which misses a bound gets on top, beside its baseline. */
const furtherRounds = 8;

/** A contender's figures so far. */
interface Gathered {
  readonly contender: Contender;
  readonly width: number;
  readonly latencies: Latencies;
  readonly rates: number[];
  decisions: number;
  tally: Tally;
}

/**
 * Searches each contender's best number of operations in flight, which also warms up client and database. Then it runs
 * all of them in turn, round by round, so that what else the machine does meets all alike, and at last the contentions.
 * A miss among few rounds may be the machine's: who misses a bound is measured for longer, and all its rounds count.
 */
export async function runRounds(contenders: readonly Contender[], options: RoundsOptions): Promise<Measured[]> {
  const { rounds, budgetMs } = options;
  const startedAt = performance.now();
  const gathered: Gathered[] = [];
  for (const contender of contenders) {
    const width = await bestWidth(contender, options);
    gathered.push({ contender, width, latencies: newLatencies(), rates: [], decisions: 0, tally: emptyTally });
  }
  for (let round = 1; round <= rounds; round++) {
    if (round > minRounds && performance.now() - startedAt > budgetMs) break;
    for (const one of gathered) await runRound(one, round, options);
  }
  const toMeasureOn = withBaselines(gathered, options);
  for (let further = 1; further <= furtherRounds; further++) {
    for (const one of toMeasureOn) await runRound(one, one.rates.length + 1, options);
  }
  const measured: Measured[] = [];
  for (const one of gathered) {
    const contention = await one.contender.contend?.(options.contention);
    measured.push({ ...one, contention });
  }
  return measured;
}

async function runRound(one: Gathered, round: number, { onProgress }: RoundsOptions): Promise<void> {
  const { contender, width, latencies, rates } = one;
  const run = await contender.run({ name: `round-${round}`, width, share: 1 });
  const rate = run.decisions / run.seconds;
  rates.push(rate);
  latencies.addAll(run.latencies);
  one.decisions += run.decisions;
  one.tally = plus(one.tally, run.tally);
  onProgress(`round ${round}: ${labelOf(contender)}: ${Math.round(rate)}/s`);
}

/** Those that miss a bound, with the contenders that they are compared with. */
function withBaselines(gathered: readonly Gathered[], { missing }: RoundsOptions): Gathered[] {
  const keys = missing(gathered.map((one) => ({ ...one, contention: undefined })));
  const compared = gathered
    .filter(({ contender }) => keys.has(contender.key))
    .map(({ contender }) => contender.baseline);
  return gathered.filter(({ contender: { key } }) => keys.has(key) || compared.includes(key));
}

async function bestWidth(contender: Contender, options: RoundsOptions): Promise<number> {
  const { trialShare, searchPasses, onProgress } = options;
  let best = { width: 1, rate: 0 };
  for (let pass = 1; pass <= searchPasses; pass++) {
    for (const width of contender.widths) {
      const { decisions, seconds } = await contender.run({ name: `trial-${pass}-${width}`, width, share: trialShare });
      const rate = decisions / seconds;
      onProgress(`search ${pass}/${searchPasses}: ${labelOf(contender)}: ${width} in flight: ${Math.round(rate)}/s`);
      if (rate > best.rate) best = { width, rate };
    }
  }
  return best.width;
}

function labelOf({ name, algorithm, endpoint }: Contender): string {
  return `${name}, ${algorithm}, ${endpoint}`;
}
