import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { type ChunkRecord, decode } from './decode.ts';
import type { Deadline, WorkerDependencies } from './dependencies.ts';
import { dispatch } from './dispatch.ts';
import { beginInvocation } from './invocation.ts';
import { publish } from './publish.ts';
import { quarantine } from './quarantine.ts';
import { settleRecords } from './settle-records.ts';

/**
 * Works off one batch of the bookings queue: decode, settle, record, publish, dispatch, and answer which messages have
 * to come again. On a failure in an account these are its first failed message and all later ones, so that its order
 * holds; other accounts are untouched. Whatever was done for a message that comes again is repeated with the same ids.
 */
export async function settleBatch(
  event: SQSEvent,
  deps: WorkerDependencies,
  deadline: Deadline,
): Promise<SQSBatchResponse> {
  const invocation = beginInvocation(deps, deadline);
  const decoded = event.Records.map(decode);
  const chunks = decoded.filter((record) => 'chunk' in record);
  const unreadable = decoded.filter((record) => 'reason' in record);

  const { settled, refused } = await settleRecords(chunks, invocation);
  // What stands behind a failed message of its account comes again anyway; handing it on now would only repeat it.
  const refusedNow = withoutTails(refused, chunks, invocation.failed);
  const quarantined = await quarantine([...unreadable, ...refusedNow], invocation);
  await publish(withoutTails(settled, chunks, invocation.failed), quarantined, invocation);
  await dispatch(withoutTails(settled, chunks, invocation.failed), invocation);

  const again = withTails(chunks, invocation.failed);
  if (again.size > 0) deps.logger.warn('Messages are handed back', { messageIds: [...again] });
  return { batchItemFailures: [...again].map((itemIdentifier) => ({ itemIdentifier })) };
}

/** The failed messages, and for each account all messages from its first failed one on. */
function withTails(chunks: readonly ChunkRecord[], failed: ReadonlySet<string>): Set<string> {
  const again = new Set(failed);
  const stopped = new Set<string>();
  for (const { record, message } of chunks) {
    if (failed.has(record.messageId)) stopped.add(message.accountId);
    if (stopped.has(message.accountId)) again.add(record.messageId);
  }
  return again;
}

function withoutTails<R extends ChunkRecord>(
  records: readonly R[],
  chunks: readonly ChunkRecord[],
  failed: ReadonlySet<string>,
): R[] {
  const again = withTails(chunks, failed);
  return records.filter(({ record }) => !again.has(record.messageId));
}
