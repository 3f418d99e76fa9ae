import type { Tally } from './meter.ts';
import type { Work } from './work.ts';

/** One way of deciding the same work. */
export interface Contender {
  /** The contender's name in the table. */
  readonly name: string;
  /** The prefix of its account ids, which are its own. */
  readonly key: string;
  /** The reservations of each account in a round: enough to time, few enough to end. */
  readonly reservationsPerAccount: number;
  /** The numbers of operations in flight among which the best is searched. */
  readonly widths: readonly number[];
  /** Takes the tally of its calls since the last time. */
  readonly takeTally: () => Tally;
  /** Makes the callers' own part of the work, untimed. */
  prepare(work: Work): PreparedRun;
  close(): void;
}

export interface PreparedRun {
  /** Decides the work and answers how many reservations of each account it granted. This is what is timed. */
  decide(width: number): Promise<ReadonlyMap<string, number>>;
  /** Checks, by means that are not metered, that what was stored agrees with the limit. */
  verify(): Promise<void>;
}

/** A contender decided otherwise than the limit allows, or its books do not balance. */
export class WrongResultError extends Error {
  override readonly name = 'WrongResultError';

  constructor(contender: string, accountId: string, problem: string) {
    super(`${contender} is wrong about account ${accountId}: ${problem}.`);
  }
}

/** @throws WrongResultError unless every account was granted exactly what the limit allows */
export function assertExact(contender: string, granted: ReadonlyMap<string, number>, { accounts, limit }: Work): void {
  for (const { accountId } of accounts) {
    const count = granted.get(accountId) ?? 0;
    if (count !== limit) throw new WrongResultError(contender, accountId, `granted ${count}, the limit is ${limit}`);
  }
}
