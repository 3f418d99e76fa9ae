import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { type ChunkRecord, decode, type RefusedRecord } from './decode.ts';
import type { Deadline, WorkerDependencies } from './dependencies.ts';
import { dispatch } from './dispatch.ts';
import { beginInvocation, handBack, type Invocation } from './invocation.ts';
import { publish } from './publish.ts';
import { quarantine, quarantineBroken, readOrRefuse, type UnreadRecord } from './quarantine.ts';
import { isLastTry, turnsOf } from './receives.ts';
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
  const nowMs = deps.clock();
  const decoded = event.Records.map((record) => readOrRefuse(record, invocation, () => decode(record, nowMs)));
  const chunks = decoded.filter((record) => 'chunk' in record);
  const unreadable = decoded.filter((record) => 'reason' in record);
  for (const { record } of behindUnread(decoded)) invocation.failed.add(record.messageId);

  const [first = [], ...others] = turnsOf(chunks.filter(({ record }) => !invocation.failed.has(record.messageId)));
  await settleTurn(first, unreadable, invocation);
  for (const turn of others) await settleTurn(turn, [], invocation);

  const owners = decoded.map((one) => ({
    messageId: one.record.messageId,
    accountId: 'chunk' in one ? one.message.accountId : one.accountId,
  }));
  return handBack(withTails(chunks, invocation.failed), owners, deps);
}

/** Chunks that stand behind one which the code that reads it failed on: it may be read by the next version, and is first. */
function behindUnread(decoded: readonly (ChunkRecord | RefusedRecord | UnreadRecord)[]): ChunkRecord[] {
  const stopped = new Set<string | undefined>();
  return decoded.filter((one): one is ChunkRecord => {
    if ('chunk' in one) return stopped.has(one.message.accountId);
    if (!('reason' in one) || one.reason === 'processing_failed') stopped.add(one.accountId);
    return false;
  });
}

/** All that is done for some accounts of a batch, with all of their records. */
async function settleTurn(
  chunks: readonly ChunkRecord[],
  unreadable: readonly RefusedRecord[],
  invocation: Invocation,
): Promise<void> {
  const { failed } = invocation;
  const { settled, refused } = await settleRecords(chunks, invocation);
  // What stands behind a failed message of its account comes again anyway; handing it on now would only repeat it.
  const refusedNow = withoutTails(refused, chunks, failed);
  const quarantined = await quarantine([...unreadable, ...refusedNow], invocation);
  await publish(withoutTails(settled, chunks, failed), quarantined, invocation);
  await dispatch(withoutTails(settled, chunks, failed), invocation);
  await quarantineLastTries(chunks, invocation);
}

/** Puts aside what failed by itself at its last try and is the first of its account to fail; what is behind comes again. */
async function quarantineLastTries(chunks: readonly ChunkRecord[], invocation: Invocation): Promise<void> {
  const { failed, broken } = invocation;
  const given = [...Map.groupBy(chunks, ({ message }) => message.accountId)].flatMap(([accountId, own]) => {
    const first = own.find(({ record }) => failed.has(record.messageId));
    if (first === undefined || !broken.has(first.record.messageId) || !isLastTry(first.record)) return [];
    return [{ record: first.record, accountId }];
  });
  if (given.length === 0) return;
  for (const messageId of withTails(chunks, failed)) failed.add(messageId);
  await quarantineBroken(given, invocation);
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
