import type { AccountStore, StoredAccount, StoredOutcome } from './account-store.ts';
import { jitteredMs, type RetryEnvironment, systemRetry } from './backoff.ts';
import type { Clock } from './clock.ts';
import { ContentionError, DeadlineError, purely } from './errors.ts';
import { chunkIdOf, chunkKeyOf, type LedgerRows } from './ledger.ts';
import type { Outcome } from './outcome.ts';
import type { Policy } from './policy.ts';
import { policyOf } from './policy-file.ts';
import type { RecordedChunks } from './recorded-chunks.ts';
import { isKept } from './retention.ts';
import { type ChunkToSettle, type SettledChunk, settle } from './settle.ts';

/** A chunk with the ids of its rows, which the ledger keeps beside the outcome. */
export interface AccountChunk extends ChunkToSettle {
  readonly ids: readonly string[];
}

/** What became of one chunk: settled and in the ledger, refused for good, or failed, to be tried again. */
export type ChunkResult = SettledChunk | { readonly kind: 'failed'; readonly error: Error };

export interface SettleAccountsOptions {
  readonly store: AccountStore;
  readonly clock: Clock;
  /** What holds for an account where its own policy says nothing. */
  readonly defaultPolicy: Policy;
  /** What this process knows to be in the ledger; kept between calls, it spares questions and changes no verdict. */
  readonly recorded: RecordedChunks;
  /** How often an account is tried when others change it meanwhile. @default 5 */
  readonly maxAttempts?: number;
  /** @default the machine's timers and randomness */
  readonly retry?: RetryEnvironment;
  /** True once no time is left to begin another attempt. @default never */
  readonly isOverdue?: () => boolean;
  /** Told of each attempt that met a changed account. */
  readonly onContention?: (accountId: string) => void;
}

/** More receipts than this of unknown standing and the ledger is asked about them. */
const maxUnknownReceipts = 8;

/**
 * Settles chunks of several accounts with one read of the accounts, one of the ledger, one write per account and one
 * write of the ledger; an account that was changed meanwhile starts again, the others do not wait for it. The accounts
 * are read before the ledger: a chunk counted before has a receipt until its ledger item exists, so one of the two is
 * seen, and anything written in between makes `rev` differ (architecture, "The one write").
 *
 * @param groups the chunks of each account, in order
 * @returns for each account one result per chunk, in the same order
 */
export async function settleAccounts(
  groups: ReadonlyMap<string, readonly AccountChunk[]>,
  options: SettleAccountsOptions,
): Promise<ReadonlyMap<string, readonly ChunkResult[]>> {
  const { maxAttempts = 5, retry = systemRetry } = options;
  const results = new Map<string, readonly ChunkResult[]>();
  let pending = [...groups].map(([accountId, chunks]) => ({ accountId, chunks }));
  for (let attempt = 1; pending.length > 0; attempt++) {
    const contended: Group[] = [];
    for (const { group, result } of await attemptAll(pending, options)) {
      if (result === 'conflict') contended.push(group);
      else results.set(group.accountId, result);
    }
    for (const { accountId } of contended) options.onContention?.(accountId);
    const isLast = attempt >= maxAttempts || (options.isOverdue?.() ?? false);
    if (isLast) for (const group of contended) results.set(group.accountId, exhausted(group, attempt, maxAttempts));
    pending = isLast ? [] : contended;
    if (pending.length > 0) await retry.sleep(jitteredMs(attempt, retry.random));
  }
  return results;
}

interface Group {
  readonly accountId: string;
  readonly chunks: readonly AccountChunk[];
}

/** What an attempt has read: first the accounts, then the ledger. */
interface Read {
  readonly accounts: ReadonlyMap<string, StoredAccount | Error>;
  readonly ledger: ReadonlyMap<string, StoredOutcome | Error>;
  /** By account, the receipts that the ledger was asked about. */
  readonly asked: ReadonlyMap<string, readonly string[]>;
}

interface Attempt {
  readonly group: Group;
  readonly result: readonly ChunkResult[] | 'conflict';
}

async function attemptAll(groups: readonly Group[], options: SettleAccountsOptions): Promise<Attempt[]> {
  const { store, isOverdue = () => false } = options;
  const late = () => groups.map((group) => ({ group, result: failed(group, new DeadlineError(group.accountId)) }));
  try {
    if (isOverdue()) return late();
    const accounts = await store.readAccounts(groups.map(({ accountId }) => accountId));
    if (isOverdue()) return late();
    const asked = new Map(groups.map((group) => [group.accountId, unknownReceipts(group, accounts, options)]));
    const keys = groups.flatMap((group) => [...group.chunks, ...(asked.get(group.accountId) ?? []).map(chunkKeyOf)]);
    const ledger = keptOutcomes(await store.readLedger(keys), options.clock());
    const read: Read = { accounts, ledger, asked };
    const settled = await Promise.all(
      groups.map(async (group) => ({ group, result: await attemptOne(group, read, options) })),
    );
    return await recordAll(settled, read.ledger, options);
  } catch (error) {
    return groups.map((group) => ({ group, result: failed(group, error) }));
  }
}

/**
 * What the ledger holds, without outcomes past their time: their items are deleted late, and until then a key that is
 * used again after 90 days meets them under its booking id. They are neither a verdict nor a ledger item of the new one.
 */
function keptOutcomes(
  found: ReadonlyMap<string, StoredOutcome | Error>,
  nowMs: number,
): ReadonlyMap<string, StoredOutcome | Error> {
  return new Map([...found].filter(([, entry]) => entry instanceof Error || isKept(entry.outcome, nowMs)));
}

/** Reads done, decides one account's chunks and writes them; the ledger comes after. */
async function attemptOne(group: Group, read: Read, options: SettleAccountsOptions): Promise<Attempt['result']> {
  const { accountId, chunks } = group;
  try {
    const account = read.accounts.get(accountId);
    if (account === undefined) throw new Error(`The store answered nothing for account ${accountId}`);
    if (account instanceof Error) throw account;
    await completeReceipts(accountId, account, read, options);
    if (options.isOverdue?.()) throw new DeadlineError(accountId);
    const input = {
      accountId,
      state: account.state,
      chunks,
      recorded: recordedOutcomes(chunks, read.ledger),
      policy: policyOf(accountId, options.defaultPolicy, account.overrides),
      nowMs: options.clock(),
      prunable: recordedReceipts(account, options.recorded),
    };
    const settlement = purely(() => settle(input));
    if (settlement.change !== undefined && (await options.store.write(settlement.change)) === 'conflict') {
      return 'conflict';
    }
    return settlement.chunks;
  } catch (error) {
    return failed(group, error);
  }
}

function recordedOutcomes(chunks: readonly AccountChunk[], ledger: Read['ledger']): Map<string, Outcome> {
  const outcomes = new Map<string, Outcome>();
  for (const id of chunks.map(chunkIdOf)) {
    const found = ledger.get(id);
    if (found instanceof Error) throw found;
    if (found !== undefined) outcomes.set(id, found.outcome);
  }
  return outcomes;
}

/**
 * Receipts of which this process does not know whether the ledger has them, once enough of them have gathered. One past
 * its time needs no ledger item any more: the next write removes it as it is.
 */
function unknownReceipts(
  { accountId, chunks }: Group,
  accounts: Read['accounts'],
  { recorded, clock }: SettleAccountsOptions,
): string[] {
  const account = accounts.get(accountId);
  if (account === undefined || account instanceof Error) return [];
  const own = new Set(chunks.map(chunkIdOf));
  const nowMs = clock();
  const unknown = [...account.state.receipts]
    .filter(([id, outcome]) => !own.has(id) && !recorded.has(id, outcome) && isKept(outcome, nowMs))
    .map(([id]) => id);
  return unknown.length > maxUnknownReceipts ? unknown : [];
}

/**
 * Learns which of the receipts asked about are in the ledger, so that the next write may remove them. One that is
 * missing there gets its item first; a receipt lacks the rows, which the chunk's own redelivery adds.
 */
async function completeReceipts(
  accountId: string,
  { state }: StoredAccount,
  { ledger, asked }: Read,
  { store, recorded }: SettleAccountsOptions,
): Promise<void> {
  for (const id of asked.get(accountId) ?? []) {
    const found = ledger.get(id);
    const outcome = state.receipts.get(id);
    if (found instanceof Error || outcome === undefined) continue;
    if (found === undefined) await store.recordIfAbsent({ ...chunkKeyOf(id), accountId, outcome });
    recorded.add(id, outcome);
  }
}

function recordedReceipts({ state }: StoredAccount, recorded: RecordedChunks): Set<string> {
  return new Set([...state.receipts].filter(([id, outcome]) => recorded.has(id, outcome)).map(([id]) => id));
}

/** Puts into the ledger what it does not hold in full yet, for all accounts of the attempt at once. */
async function recordAll(
  attempts: readonly Attempt[],
  ledger: Read['ledger'],
  { store, recorded }: SettleAccountsOptions,
): Promise<Attempt[]> {
  const entries = attempts.flatMap(({ group: { accountId, chunks }, result }) =>
    result === 'conflict'
      ? []
      : chunks.flatMap((chunk, i) => {
          const settled = result[i];
          if (settled?.kind !== 'settled' || isComplete(ledger.get(chunkIdOf(chunk)))) return [];
          const { bookingId, chunk: index } = chunk;
          return [{ bookingId, chunk: index, accountId, outcome: settled.outcome, rows: rowsOf(chunk) }];
        }),
  );
  if (entries.length === 0) return [...attempts];
  const failures = await store.record(entries);
  for (const entry of entries) {
    const id = chunkIdOf(entry);
    if (!failures.has(id)) recorded.add(id, entry.outcome);
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

function isComplete(found: StoredOutcome | Error | undefined): boolean {
  return found !== undefined && !(found instanceof Error) && found.complete;
}

function rowsOf({ ids, costs }: AccountChunk): LedgerRows {
  return { ids, costs };
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
