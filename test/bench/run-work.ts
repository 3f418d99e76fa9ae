import { assertExact, type Run, type RunRequest } from './contender.ts';
import { type Latencies, newLatencies } from './latencies.ts';
import type { Tally } from './meter.ts';
import { makeWork, sizeOf, type Work } from './work.ts';

/** The accounts of every contender that decides about accounts. */
const accounts = 20;

export interface PreparedRun {
  /** Decides the work and answers how many reservations of each account it granted. This is what is timed. */
  decide(width: number, latencies: Latencies): Promise<ReadonlyMap<string, number>>;
  /** Checks, by means that are not metered, that what was stored agrees with the limit. */
  verify(): Promise<void>;
}

/** Has a contender decide about accounts that are new in this run. Only the deciding is timed and metered. */
export async function runWork(
  contender: {
    readonly key: string;
    readonly name: string;
    /** The reservations of each account in a round: enough to time, few enough to end. */
    readonly reservationsPerAccount: number;
    /** Takes the tally of its calls since the last time. */
    readonly takeTally: () => Tally;
    /** Makes the callers' own part of the work. */
    readonly prepare: (work: Work) => PreparedRun;
  },
  { name, width, share }: RunRequest,
): Promise<Run> {
  const work = makeWork(`${contender.key}-${name}`, accounts, Math.ceil(contender.reservationsPerAccount * share));
  const prepared = contender.prepare(work);
  const latencies = newLatencies();
  contender.takeTally();
  const startedAt = performance.now();
  const granted = await prepared.decide(width, latencies);
  const seconds = (performance.now() - startedAt) / 1000;
  const tally = contender.takeTally();
  assertExact(contender.name, granted, work);
  await prepared.verify();
  contender.takeTally();
  return { decisions: sizeOf(work), seconds, tally, latencies };
}
