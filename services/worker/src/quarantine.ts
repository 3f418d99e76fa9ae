import { errorFields } from '@usher/service';
import type { SQSRecord } from 'aws-lambda';
import { type RefusedRecord, refuse } from './decode.ts';
import { type Invocation, sendOwned } from './invocation.ts';
import { workerMetrics } from './metrics.ts';
import { publish } from './publish.ts';
import { isLastTry } from './receives.ts';
import { quarantineMessage } from './sqs-quarantine.ts';

/**
 * Puts refused messages aside, where an operator sees them; one that cannot be put aside comes again.
 *
 * @returns those that are in quarantine now
 */
export async function quarantine(refused: readonly RefusedRecord[], invocation: Invocation): Promise<RefusedRecord[]> {
  if (refused.length === 0) return [];
  const { deps, failed } = invocation;
  const owned = refused.map((one) => ({
    messageId: one.record.messageId,
    accountId: one.accountId,
    message: quarantineMessage(one),
  }));
  await sendOwned(deps.config.quarantineQueueUrl, owned, invocation);
  const taken = refused.filter(({ record }) => !failed.has(record.messageId));
  for (const { record, reason, accountId } of taken) {
    deps.log.error('A message is quarantined', { accountId, messageId: record.messageId, reason });
  }
  deps.meter.count(workerMetrics.quarantined, taken.length);
  return taken;
}

/**
 * Puts aside messages that failed by themselves at their last try. They are failed no longer, so whoever keeps an order
 * has marked as failed before what stands behind them.
 */
export async function quarantineBroken(
  records: readonly { readonly record: SQSRecord; readonly accountId: string }[],
  invocation: Invocation,
): Promise<void> {
  for (const { record } of records) invocation.failed.delete(record.messageId);
  const refused = records.map(({ record, accountId }): RefusedRecord => {
    const problem = problemOf(invocation.broken.get(record.messageId));
    return { record, accountId, reason: 'processing_failed', problem };
  });
  await publish([], await quarantine(refused, invocation), invocation);
}

/** A record that the code which reads it fails on: it comes again, like any that fails by itself. */
export interface UnreadRecord {
  readonly record: SQSRecord;
  /** Its group, for of its body nothing is known. */
  readonly accountId?: string;
}

/** Reads a record. Where the code that reads it fails, the record comes again, and is refused at its last try. */
export function readOrRefuse<T>(
  record: SQSRecord,
  { deps, failed }: Invocation,
  read: () => T,
): T | RefusedRecord | UnreadRecord {
  try {
    return read();
  } catch (error) {
    const refused = refuse(record, 'processing_failed', problemOf(error));
    const { accountId } = refused;
    const { messageId } = record;
    deps.log.error('A message could not be processed', { accountId, messageId, ...errorFields(error) });
    if (isLastTry(record)) return refused;
    failed.add(messageId);
    return accountId === undefined ? { record } : { record, accountId };
  }
}

/** What was thrown, as far as a log may tell it, down to its first cause. */
function problemOf(thrown: unknown): string {
  const told: string[] = [];
  for (
    let error = [errorFields(thrown).error];
    error[0] !== undefined;
    error = error[0].cause ? [error[0].cause] : []
  ) {
    const [{ name, message }] = error;
    told.push(message === undefined ? name : `${name}: ${message}`);
  }
  return told.join('; cause: ');
}
