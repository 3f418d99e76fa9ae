import type { Latencies } from './latencies.ts';
import type { Tally } from './meter.ts';
import type { Work } from './work.ts';

/** The kind of store that a contender decides in; rows of one kind are compared. */
export type Endpoint = 'memory' | 'DynamoDB' | 'Redis';

/** One way of deciding, and a row of the table. */
export interface Contender {
  /** Its name and the prefix of its account ids, which are its own. */
  readonly key: string;
  /** The library and the call, as the table says it. */
  readonly name: string;
  readonly algorithm: string;
  readonly endpoint: Endpoint;
  /** The key of the contender whose rate this one's is divided by. */
  readonly baseline: string;
  /** The numbers of operations in flight among which the best is searched. */
  readonly widths: readonly number[];
  /** Decides one round's work, or a trial's, which is a share of it. */
  run(request: RunRequest): Promise<Run>;
  /** Has many callers contend for one key; absent where one key has one caller by design. */
  contend?(request: ContentionRequest): Promise<Contention>;
  close(): void | Promise<void>;
}

export interface RunRequest {
  /** Names the run: what it decides about is its own. */
  readonly name: string;
  /** Operations in flight. */
  readonly width: number;
  /** The share of a round's decisions. */
  readonly share: number;
}

/** One run's figures. */
export interface Run {
  readonly decisions: number;
  readonly seconds: number;
  readonly tally: Tally;
  readonly latencies: Latencies;
}

export interface ContentionRequest {
  /** Callers at the same time, spread over `processes` limiters that know nothing of each other. */
  readonly callers: number;
  readonly processes: number;
  readonly asksPerCaller: number;
  /** Below the asks of all callers together. */
  readonly limit: number;
}

/** The outcome of a contention: exact where as much was allowed as the limit says. */
export interface Contention {
  readonly allowed: number;
  readonly limit: number;
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
