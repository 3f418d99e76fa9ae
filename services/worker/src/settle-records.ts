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

const problems: Record<RefusalReason, string> = {
  too_old: 'the booking was accepted more than 28 days ago',
  digest_mismatch: 'the chunk was settled before, with another content',
};

/** Settles the chunks of a batch, account by account in order, and marks as failed what could not be. */
export async function settleRecords(
  records: readonly ChunkRecord[],
  { deps, isOverdue, failed }: Invocation,
): Promise<{ settled: SettledRecord[]; refused: RefusedRecord[] }> {
  const settled: SettledRecord[] = [];
  const refused: RefusedRecord[] = [];
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

  for (const [accountId, own] of byAccount) {
    for (const [i, record] of own.entries()) {
      const result = results.get(accountId)?.[i];
      if (result?.kind === 'settled') {
        settled.push({ ...record, outcome: result.outcome, origin: result.origin });
      } else if (result?.kind === 'refused') {
        refused.push({ record: record.record, reason: result.reason, problem: problems[result.reason], accountId });
      } else {
        failed.add(record.record.messageId);
        const { bookingId, chunk } = record.message;
        deps.logger.error('A chunk could not be settled', { accountId, bookingId, chunk, error: result?.error });
      }
    }
  }
  // In the order of the batch, so that what time is left for is done for its first messages.
  const place = new Map(records.map(({ record }, i) => [record.messageId, i]));
  settled.sort((a, b) => (place.get(a.record.messageId) ?? 0) - (place.get(b.record.messageId) ?? 0));
  count(settled, deps);
  return { settled, refused };
}

/** The records without those that carry the same chunk once more: one of them is enough to publish and dispatch. */
export function distinctChunks(settled: readonly SettledRecord[]): SettledRecord[] {
  return settled.filter(({ origin }) => origin !== 'batch');
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
