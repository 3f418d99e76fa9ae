import {
  amounts,
  type ChunkResult,
  DeterministicError,
  InvalidPolicyError,
  type Outcome,
  type RefusalReason,
  UsherError,
} from '@usher/limiter-core';
import { errorFields } from '@usher/service';
import type { ChunkRecord, RefusedRecord } from './decode.ts';
import type { WorkerDependencies } from './dependencies.ts';
import type { Invocation } from './invocation.ts';
import { workerMetrics } from './metrics.ts';
import { isLastTry } from './receives.ts';

/** A chunk record whose verdict is on the account and in the ledger. */
export interface SettledRecord extends ChunkRecord {
  readonly outcome: Outcome;
  /** `new` for a first decision; else where the verdict was found. */
  readonly origin: 'new' | 'receipt' | 'ledger' | 'batch';
}

/** A chunk record that can never be settled. */
export type RefusedChunk = ChunkRecord & RefusedRecord;

const problems: Record<RefusalReason, string> = {
  too_old: 'the booking was accepted more than 28 days ago',
  digest_mismatch: 'the chunk was settled before, with another content',
};

/** Settles the chunks of a batch, account by account in order, and marks as failed what could not be. */
export async function settleRecords(
  records: readonly ChunkRecord[],
  invocation: Invocation,
): Promise<{ settled: SettledRecord[]; refused: RefusedChunk[] }> {
  const settled: SettledRecord[] = [];
  const refused: RefusedChunk[] = [];
  if (records.length === 0) return { settled, refused };

  const byAccount = Map.groupBy(records, ({ message }) => message.accountId);
  const { deps } = invocation;
  const startedAt = deps.clock();
  const results = new Map(await settleChunks(byAccount, invocation));
  for (const [accountId, own] of byAccount) {
    if (isSuspicious(own, results.get(accountId) ?? [])) results.set(accountId, await settleAlone(own, invocation));
  }
  deps.meter.time(workerMetrics.settleLatency, Math.max(0, deps.clock() - startedAt));
  tellPolicies(results, deps);

  const resultOf = new Map(
    [...byAccount].flatMap(([id, own]) => own.map((record, i) => [record, results.get(id)?.[i]])),
  );
  // In the order of the batch, so that what time is left for is done for its first messages.
  for (const record of records) {
    const result = resultOf.get(record);
    if (result?.kind === 'settled') {
      settled.push({ ...record, outcome: result.outcome, origin: result.origin });
    } else if (result?.kind === 'refused') {
      const { accountId } = record.message;
      refused.push({ ...record, reason: result.reason, problem: problems[result.reason], accountId });
    } else {
      fail(record, result?.error, invocation);
    }
  }
  count(settled, deps);
  return { settled, refused };
}

async function settleChunks(
  byAccount: ReadonlyMap<string, readonly ChunkRecord[]>,
  { deps, isOverdue }: Invocation,
): Promise<ReadonlyMap<string, readonly ChunkResult[]>> {
  const { settler, meter } = deps;
  return settler.settleAll(new Map([...byAccount].map(([id, own]) => [id, own.map(({ chunk }) => chunk)])), {
    isOverdue,
    onContention: () => meter.count(workerMetrics.contentionRetries, 1),
  });
}

/** True where one chunk at its last try may have failed all of its account, which is written as a whole. */
function isSuspicious(own: readonly ChunkRecord[], results: readonly ChunkResult[]): boolean {
  if (own.length < 2 || !own.some(({ record }) => isLastTry(record))) return false;
  return results.every((result) => result.kind === 'failed' && result.error instanceof DeterministicError);
}

/** Settles an account's chunks one by one up to the first that fails: that one is at fault, the rest wait behind it. */
async function settleAlone(own: readonly ChunkRecord[], invocation: Invocation): Promise<ChunkResult[]> {
  const results: ChunkResult[] = [];
  for (const record of own) {
    const { accountId } = record.message;
    const [result] = (await settleChunks(new Map([[accountId, [record]]]), invocation)).get(accountId) ?? [];
    if (result !== undefined) results.push(result);
    if (result?.kind !== 'settled' && result?.kind !== 'refused') break;
  }
  const behind: ChunkResult = { kind: 'failed', error: new BehindFailedError() };
  return [...results, ...own.slice(results.length).map(() => behind)];
}

/** A chunk was not tried, for one before it has failed. */
class BehindFailedError extends UsherError {
  override readonly name = 'BehindFailedError';
}

function fail({ record, message }: ChunkRecord, error: Error | undefined, { deps, failed, broken }: Invocation): void {
  const { messageId } = record;
  const { accountId, bookingId, chunk } = message;
  failed.add(messageId);
  if (error instanceof DeterministicError) broken.set(messageId, error);
  deps.log.error('A chunk could not be settled', { accountId, bookingId, chunk, messageId, ...errorFields(error) });
}

/** A policy that cannot be read is an operator's to mend: its account waits, and is named. */
function tellPolicies(results: ReadonlyMap<string, readonly ChunkResult[]>, { log, meter }: WorkerDependencies): void {
  for (const [accountId, own] of results) {
    const unreadable = own.find((result) => result.kind === 'failed' && result.error instanceof InvalidPolicyError);
    if (unreadable?.kind !== 'failed') continue;
    log.error("An account's policy cannot be read", { accountId, ...errorFields(unreadable.error) });
    meter.count(workerMetrics.unreadablePolicies, 1);
  }
}

/** The records without those that carry the same chunk once more: one of them is enough to publish and dispatch. */
export function distinctChunks(settled: readonly SettledRecord[]): SettledRecord[] {
  const seen = new Set<string>();
  return settled.filter(({ chunk: { digest } }) => seen.size < seen.add(digest).size);
}

function count(settled: readonly SettledRecord[], { meter, log }: WorkerDependencies): void {
  let granted = 0;
  let rejected = 0;
  let replayed = 0;
  for (const { message, outcome, origin } of settled) {
    const counts = amounts(outcome);
    if (origin === 'new') {
      granted += counts.granted.count;
      rejected += counts.rejected.count;
    } else {
      replayed += 1;
    }
    const { accountId, bookingId, chunk } = message;
    log.info('Chunk settled', { accountId, bookingId, chunk, origin, ...counts });
  }
  meter.count(workerMetrics.granted, granted);
  meter.count(workerMetrics.rejected, rejected);
  meter.count(workerMetrics.replayed, replayed);
}
