import { assertExact, type Contender } from './contender.ts';
import { emptyTally, plus, type Tally } from './meter.ts';
import { makeWork, sizeOf } from './work.ts';

/** A contender's figures over all rounds. */
export interface Measured {
  readonly name: string;
  /** Operations in flight. */
  readonly width: number;
  readonly reservations: number;
  readonly tally: Tally;
  /** Reservations per second, round by round. */
  readonly rates: readonly number[];
}

export interface RoundsOptions {
  readonly accounts: number;
  /** The most rounds. */
  readonly rounds: number;
  /** The time, search included, after which no further round begins; three are run in any case. */
  readonly budgetMs: number;
  /** Reservations per account in a trial of the search, as a share of a round's. */
  readonly trialShare: number;
  readonly onProgress: (line: string) => void;
}

const minRounds = 3;

interface Run {
  readonly reservations: number;
  readonly rate: number;
  readonly tally: Tally;
}

/**
 * Searches each contender's best number of operations in flight, which also warms up client and database, and then
 * runs all of them in turn, round by round, so that what else the machine does meets all alike.
 */
export async function runRounds(contenders: readonly Contender[], options: RoundsOptions): Promise<Measured[]> {
  const { rounds, accounts, budgetMs, onProgress } = options;
  const startedAt = performance.now();
  const widths = new Map<Contender, number>();
  for (const contender of contenders) widths.set(contender, await bestWidth(contender, options));
  const runs = new Map<Contender, Run[]>(contenders.map((contender) => [contender, []]));
  for (let round = 1; round <= rounds; round++) {
    if (round > minRounds && performance.now() - startedAt > budgetMs) break;
    for (const contender of contenders) {
      const run = await runOnce(contender, {
        name: `round-${round}`,
        accounts,
        reservationsPerAccount: contender.reservationsPerAccount,
        width: widths.get(contender) ?? 1,
      });
      runs.get(contender)?.push(run);
      onProgress(`round ${round}/${rounds}: ${contender.name}: ${Math.round(run.rate)}/s`);
    }
  }
  return [...runs].map(([contender, own]) => ({
    name: contender.name,
    width: widths.get(contender) ?? 1,
    reservations: own.reduce((total, { reservations }) => total + reservations, 0),
    tally: own.reduce((total, { tally }) => plus(total, tally), emptyTally),
    rates: own.map(({ rate }) => rate),
  }));
}

/** The trials of each width, judged by the best: other work on the machine can only slow a trial. */
const searchPasses = 2;

async function bestWidth(contender: Contender, { accounts, trialShare, onProgress }: RoundsOptions): Promise<number> {
  const reservationsPerAccount = Math.ceil(contender.reservationsPerAccount * trialShare);
  let best = { width: 1, rate: 0 };
  for (let pass = 1; pass <= searchPasses; pass++) {
    for (const width of contender.widths) {
      const name = `trial-${pass}-${width}`;
      const { rate } = await runOnce(contender, { name, accounts, reservationsPerAccount, width });
      onProgress(`search ${pass}/${searchPasses}: ${contender.name}: ${width} in flight: ${Math.round(rate)}/s`);
      if (rate > best.rate) best = { width, rate };
    }
  }
  return best.width;
}

async function runOnce(
  contender: Contender,
  run: {
    readonly name: string;
    readonly accounts: number;
    readonly reservationsPerAccount: number;
    readonly width: number;
  },
): Promise<Run> {
  const named = `${contender.key}-${run.name}`;
  const work = makeWork(named, run.accounts, run.reservationsPerAccount);
  const prepared = contender.prepare(work);
  contender.takeTally();
  const startedAt = performance.now();
  const granted = await prepared.decide(run.width);
  const seconds = (performance.now() - startedAt) / 1000;
  const tally = contender.takeTally();
  assertExact(contender.name, granted, work);
  await prepared.verify();
  return { reservations: sizeOf(work), rate: sizeOf(work) / seconds, tally };
}
