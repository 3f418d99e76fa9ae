import { jitteredMs, type RetryEnvironment, systemRetry } from '../backoff.ts';
import { type Clock, systemClock } from '../clock.ts';
import { ContentionError, DeadlineError, InvalidArgumentError, purely } from '../errors.ts';
import type { AccountStore, StoredAccount, StoredOutcome } from './account-store.ts';
import { chunkIdOf, chunkKeyOf, type LedgerEntry } from './ledger.ts';
import { LedgerMemory } from './ledger-memory.ts';
import type { Outcome } from './outcome.ts';
import type { Policy } from './policy.ts';
import { policyOf } from './policy-file.ts';
import { chunksToAsk, completeReceipts, prunableReceipts } from './receipt-pruning.ts';
import { type ChunkToSettle, type SettledChunk, settle } from './settle.ts';

/** The result for one chunk: settled and in the ledger, refused for good, or failed, to be tried again. */
export type ChunkResult = SettledChunk | { readonly kind: 'failed'; readonly error: Error };

export interface SettlerOptions {
  readonly store: AccountStore;
  /** The policy of an account where its own says nothing. */
  readonly defaultPolicy: Policy;
  /** @default systemClock */
  readonly clock?: Clock;
  /** Pauses between attempts. @default the machine's timers and randomness */
  readonly retry?: RetryEnvironment;
  /** Attempts at an account that others change meanwhile. @default 5 */
  readonly maxAttempts?: number;
}

/** Options of one call. */
export interface SettleCall {
  /** True once no time is left to begin another attempt. @default never */
  readonly isOverdue?: () => boolean;
  /** Told of each attempt that met a changed account. */
  readonly onContention?: (accountId: string) => void;
  /** Told of each account whose bucket was scheduled by a wrong clock, so far ahead of this one, and is emptied for it. */
  readonly onWrongClock?: (accountId: string, aheadMs: number) => void;
}

/** The results by account, one per chunk in order. */
export type ResultsByAccount = ReadonlyMap<string, readonly ChunkResult[]>;

/** The most chunks of an account in one call: one write keeps all of their outcomes, and an item holds 400 KB. */
export const maxChunksPerAccount = 1000;

/** The chunks of each account, in order. */
export type ChunksByAccount = ReadonlyMap<string, readonly ChunkToSettle[]>;

/**
 * Settles chunks: reads accounts and ledger, decides, writes, and starts again where an account was changed meanwhile.
 * It remembers what it has put into the ledger, so a service makes one for the life of its process; another process's
 * Settler gives the same verdicts.
 */
export class Settler {
  readonly #options: Required<SettlerOptions>;
  readonly #memory: LedgerMemory;

  /** @param memory the outcomes known to be in the ledger; of tests alone to give */
  constructor(options: SettlerOptions, memory: LedgerMemory = new LedgerMemory()) {
    this.#options = { clock: systemClock, retry: systemRetry, maxAttempts: 5, ...options };
    this.#memory = memory;
  }

  /**
   * Settles chunks of one account.
   *
   * @returns one result per chunk, in the same order
   */
  async settle(
    accountId: string,
    chunks: readonly ChunkToSettle[],
    call: SettleCall = {},
  ): Promise<readonly ChunkResult[]> {
    return (await this.settleAll(new Map([[accountId, chunks]]), call)).get(accountId) ?? [];
  }

  /**
   * Settles chunks of several accounts, as {@link settleInRounds} does, up to the last one.
   *
   * @returns for each account one result per chunk, in the same order
   */
  async settleAll(groups: ChunksByAccount, call: SettleCall = {}): Promise<ResultsByAccount> {
    const results = new Map<string, readonly ChunkResult[]>();
    for await (const round of this.settleInRounds(groups, call)) {
      for (const [accountId, own] of round) results.set(accountId, own);
    }
    return results;
  }

  /**
   * Settles chunks of several accounts with one read of the accounts, one of the ledger, one write per account and one
   * write of the ledger. An account that was changed meanwhile starts again in the next round, which begins when the
   * caller asks for it: so the others can be handed on before. The accounts are read before the ledger: a chunk counted
   * before has a receipt until its ledger item exists, so one of the two is seen, and anything written in between makes
   * `rev` differ (architecture, "The one write").
   *
   * @throws InvalidArgumentError for more than {@link maxChunksPerAccount} chunks of an account
   * @returns round by round, for each account that is done with one result per chunk, in the same order; a round may be
   *   empty
   */
  async *settleInRounds(groups: ChunksByAccount, call: SettleCall = {}): AsyncGenerator<ResultsByAccount, void, void> {
    const { maxAttempts, retry } = this.#options;
    for (const [accountId, { length }] of groups) {
      if (length <= maxChunksPerAccount) continue;
      throw new InvalidArgumentError(`chunks of ${accountId} must be at most ${maxChunksPerAccount} (were ${length})`);
    }
    let pending: Group[] = [...groups].map(([accountId, chunks]) => ({ accountId, chunks }));
    for (let attempt = 1; pending.length > 0; attempt++) {
      const results = new Map<string, readonly ChunkResult[]>();
      const contended: Group[] = [];
      for (const { group, result } of await this.#attemptAll(pending, call)) {
        if (result === 'conflict') contended.push(group);
        else results.set(group.accountId, result);
      }
      for (const { accountId } of contended) call.onContention?.(accountId);
      const isLast = attempt >= maxAttempts || (call.isOverdue?.() ?? false);
      if (isLast) for (const group of contended) results.set(group.accountId, exhausted(group, attempt, maxAttempts));
      pending = isLast ? [] : contended;
      yield results;
      if (pending.length > 0) await retry.sleep(jitteredMs(attempt, retry.random));
    }
  }

  async #attemptAll(groups: readonly Group[], call: SettleCall): Promise<Attempt[]> {
    const { isOverdue = () => false } = call;
    const { store } = this.#options;
    const late = () => groups.map((group) => ({ group, result: failed(group, new DeadlineError(group.accountId)) }));
    try {
      if (isOverdue()) return late();
      const accounts = await store.readAccounts(groups.map(({ accountId }) => accountId));
      if (isOverdue()) return late();
      const asked = this.#chunksToAsk(groups, accounts);
      const keys = groups.flatMap((group) => [...group.chunks, ...(asked.get(group.accountId) ?? []).map(chunkKeyOf)]);
      const ledger = await store.readLedger(keys);
      const read: Read = { accounts, ledger, asked };
      const settled = await Promise.all(
        groups.map(async (group) => ({ group, result: await this.#attemptOne(group, read, call) })),
      );
      return await this.#writeLedger(settled, ledger);
    } catch (error) {
      return groups.map((group) => ({ group, result: failed(group, error) }));
    }
  }

  #chunksToAsk(groups: readonly Group[], accounts: Read['accounts']): Read['asked'] {
    const nowMs = this.#options.clock();
    return new Map(
      groups.map(({ accountId, chunks }) => {
        const account = accounts.get(accountId);
        if (account === undefined || account instanceof Error) return [accountId, []];
        return [accountId, chunksToAsk({ accountId, state: account.state }, { chunks, memory: this.#memory, nowMs })];
      }),
    );
  }

  /** Reads done, decides one account's chunks and writes them; the ledger comes after. */
  async #attemptOne(group: Group, read: Read, call: SettleCall): Promise<Attempt['result']> {
    const { accountId, chunks } = group;
    const { store, defaultPolicy, clock } = this.#options;
    try {
      const account = read.accounts.get(accountId);
      if (account === undefined) throw new Error(`The store answered nothing for account ${accountId}`);
      if (account instanceof Error) throw account;
      const { receipts } = account.state;
      const asked = read.asked.get(accountId) ?? [];
      await completeReceipts(accountId, { receipts, asked, ledger: read.ledger }, { store, memory: this.#memory });
      if (call.isOverdue?.()) throw new DeadlineError(accountId);
      const input = {
        accountId,
        state: account.state,
        chunks,
        ledger: outcomesOf(chunks, read.ledger),
        policy: policyOf(accountId, defaultPolicy, account.overrides),
        nowMs: clock(),
        prunable: prunableReceipts(receipts, this.#memory),
      };
      const { chunks: settled, change, wrongClockAheadMs } = purely(() => settle(input));
      if (change !== undefined && (await store.writeAccount(change)) === 'conflict') return 'conflict';
      if (wrongClockAheadMs !== undefined) call.onWrongClock?.(accountId, wrongClockAheadMs);
      return settled;
    } catch (error) {
      return failed(group, error);
    }
  }

  /** Puts into the ledger what it does not hold in full yet, for all accounts of the attempt at once. */
  async #writeLedger(attempts: readonly Attempt[], ledger: Read['ledger']): Promise<Attempt[]> {
    const entries = attempts.flatMap((attempt) => entriesOf(attempt, ledger));
    if (entries.length === 0) return [...attempts];
    const failures = await this.#options.store.writeLedger(entries);
    for (const entry of entries) {
      const id = chunkIdOf(entry);
      if (!failures.has(id)) this.#memory.add(id);
    }
    return attempts.map(({ group, result }) => ({
      group,
      result:
        result === 'conflict'
          ? result
          : result.map((settled, i) => {
              const chunk = group.chunks[i];
              const error = chunk === undefined ? undefined : failures.get(chunkIdOf(chunk));
              return settled.kind === 'settled' && error !== undefined ? { kind: 'failed', error } : settled;
            }),
    }));
  }
}

interface Group {
  readonly accountId: string;
  readonly chunks: readonly ChunkToSettle[];
}

/** The reads of one attempt: first the accounts, then the ledger. */
interface Read {
  readonly accounts: ReadonlyMap<string, StoredAccount | Error>;
  readonly ledger: ReadonlyMap<string, StoredOutcome | Error>;
  /** By account, the chunks of receipts that the ledger was asked about. */
  readonly asked: ReadonlyMap<string, readonly string[]>;
}

interface Attempt {
  readonly group: Group;
  readonly result: readonly ChunkResult[] | 'conflict';
}

function outcomesOf(chunks: readonly ChunkToSettle[], ledger: Read['ledger']): Map<string, Outcome> {
  const outcomes = new Map<string, Outcome>();
  for (const id of chunks.map(chunkIdOf)) {
    const found = ledger.get(id);
    if (found instanceof Error) throw found;
    if (found !== undefined) outcomes.set(id, found.outcome);
  }
  return outcomes;
}

/** Entries of what an attempt has settled, but for those that the ledger holds in full. */
function entriesOf({ group: { accountId, chunks }, result }: Attempt, ledger: Read['ledger']): LedgerEntry[] {
  if (result === 'conflict') return [];
  return chunks.flatMap((chunk, i) => {
    const settled = result[i];
    if (settled?.kind !== 'settled' || isComplete(ledger.get(chunkIdOf(chunk)))) return [];
    const { bookingId, chunkIndex, rows } = chunk;
    return [
      { bookingId, chunkIndex, accountId, outcome: settled.outcome, rows: rows.map(({ id, cost }) => ({ id, cost })) },
    ];
  });
}

function isComplete(found: StoredOutcome | Error | undefined): boolean {
  return found !== undefined && !(found instanceof Error) && found.complete;
}

function exhausted(group: Group, attempt: number, maxAttempts: number): readonly ChunkResult[] {
  const error =
    attempt >= maxAttempts ? new ContentionError(group.accountId, attempt) : new DeadlineError(group.accountId);
  return failed(group, error);
}

function failed({ chunks }: Group, cause: unknown): readonly ChunkResult[] {
  const error = cause instanceof Error ? cause : new Error(String(cause));
  return chunks.map(() => ({ kind: 'failed', error }));
}
