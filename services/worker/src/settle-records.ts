import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { amounts, type Outcome, type RefusalReason, settleAccounts } from '@usher/limiter-core';
import type { ChunkRecord, RefusedRecord } from './decode.ts';
import type { WorkerDependencies } from './dependencies.ts';
import type { Invocation } from './invocation.ts';

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
  { deps, isOverdue, failed }: Invocation,
): Promise<{ settled: SettledRecord[]; refused: RefusedChunk[] }> {
  const settled: SettledRecord[] = [];
  const refused: RefusedChunk[] = [];
  if (records.length === 0) return { settled, refused };

  const byAccount = Map.groupBy(records, ({ message }) => message.accountId);
  const startedAt = deps.clock();
  const results = await settleAccounts(
    new Map([...byAccount].map(([accountId, own]) => [accountId, own.map(({ chunk }) => chunk)])),
    {
      store: deps.store,
      clock: deps.clock,
      retry: deps.retry,
      recorded: deps.recorded,
      defaultPolicy: deps.config.defaultPolicy,
      isOverdue,
      onContention: () => deps.metrics.addMetric('ContentionRetries', MetricUnit.Count, 1),
    },
  );
  deps.metrics.addMetric('SettleLatency', MetricUnit.Milliseconds, Math.max(0, deps.clock() - startedAt));

  const resultOf = new Map(
    [...byAccount].flatMap(([id, own]) => own.map((record, i) => [record, results.get(id)?.[i]])),
  );
  // In the order of the batch, so that what time is left for is done for its first messages.
  for (const record of records) {
    const { accountId, bookingId, chunk } = record.message;
    const result = resultOf.get(record);
    if (result?.kind === 'settled') {
      settled.push({ ...record, outcome: result.outcome, origin: result.origin });
    } else if (result?.kind === 'refused') {
      refused.push({ ...record, reason: result.reason, problem: problems[result.reason], accountId });
    } else {
      failed.add(record.record.messageId);
      deps.logger.error('A chunk could not be settled', { accountId, bookingId, chunk, error: result?.error });
    }
  }
  count(settled, deps);
  return { settled, refused };
}

/** The records without those that carry the same chunk once more: one of them is enough to publish and dispatch. */
export function distinctChunks(settled: readonly SettledRecord[]): SettledRecord[] {
  const seen = new Set<string>();
  return settled.filter(({ chunk: { digest } }) => seen.size < seen.add(digest).size);
}

function count(settled: readonly SettledRecord[], { metrics, logger }: WorkerDependencies): void {
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
    logger.info('Chunk settled', { accountId, bookingId, chunk, origin, ...counts });
  }
  metrics.addMetric('Granted', MetricUnit.Count, granted);
  metrics.addMetric('Rejected', MetricUnit.Count, rejected);
  metrics.addMetric('Replayed', MetricUnit.Count, replayed);
}
