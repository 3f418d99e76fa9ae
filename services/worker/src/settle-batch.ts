import type { Settler } from '@usher/limiter-core/bulk';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { decodeChunk } from './decode.ts';
import type { BadDelivery, ChunkDelivery, UnreadDelivery } from './deliveries.ts';
import { handBack, type Invocation } from './invocation.ts';
import { publish } from './publish.ts';
import { quarantine, quarantineBroken, readDelivery } from './quarantine.ts';
import { isLastTry, turnsOf } from './receives.ts';
import { sendHandOffs } from './send-hand-offs.ts';
import { distinctChunks, settleChunks } from './settle-chunks.ts';
import { slotsOfSettled } from './slots.ts';

/**
 * Works off one batch of the bookings queue: decode, settle, publish, dispatch, and answer which messages have to come
 * again. On a failure in an account these are its first failed message and all later ones, so that its order holds;
 * other accounts are untouched. Whatever was done for a message that comes again is repeated with the same ids.
 */
export async function settleBatch(
  event: SQSEvent,
  settler: Settler,
  invocation: Invocation,
): Promise<SQSBatchResponse> {
  const { ports, failed } = invocation;
  const nowMs = ports.clock();
  const decoded = event.Records.map((record) => readDelivery(record, invocation, () => decodeChunk(record, nowMs)));
  const chunks = decoded.filter((one) => 'chunk' in one);
  const bad = decoded.filter((one) => 'reason' in one);
  for (const { delivery } of behindUnread(decoded)) failed.add(delivery.messageId);

  const [first = [], ...others] = turnsOf(chunks.filter(({ delivery }) => !failed.has(delivery.messageId)));
  await workOff(first, bad, settler, invocation);
  for (const turn of others) await workOff(turn, [], settler, invocation);
  return handBack(withTails(chunks, failed), decoded, ports);
}

/** Chunks that stand behind one which the code that reads it failed on: it may be read by the next version, and is first. */
function behindUnread(decoded: readonly (ChunkDelivery | BadDelivery | UnreadDelivery)[]): ChunkDelivery[] {
  const stopped = new Set<string | undefined>();
  return decoded.filter((one): one is ChunkDelivery => {
    if ('chunk' in one) return stopped.has(one.accountId);
    if (!('reason' in one) || one.reason === 'processing_failed') stopped.add(one.accountId);
    return false;
  });
}

/**
 * Does all that is to be done for some accounts of a batch, with all of their deliveries. What one round has decided is
 * published and dispatched before the next one begins.
 */
async function workOff(
  chunks: readonly ChunkDelivery[],
  unreadable: readonly BadDelivery[],
  settler: Settler,
  invocation: Invocation,
): Promise<void> {
  const { failed } = invocation;
  let waiting = unreadable;
  for await (const { settled, bad } of settleChunks(chunks, settler, invocation)) {
    const distinct = distinctChunks(settled);
    // Deliveries behind a failed one of their account come again anyway; handing them on now would only repeat it.
    const badNow = withoutTails(bad, chunks, failed);
    const quarantined = await quarantine([...waiting, ...badNow], invocation);
    waiting = [];
    await publish(withoutTails(distinct, chunks, failed), quarantined, invocation);
    await sendHandOffs(withoutTails(distinct, chunks, failed), slotsOfSettled, invocation);
  }
  await quarantineLastTries(chunks, invocation);
}

/** Puts aside what failed by itself at its last try and is the first of its account to fail; what is behind comes again. */
async function quarantineLastTries(chunks: readonly ChunkDelivery[], invocation: Invocation): Promise<void> {
  const { failed, broken } = invocation;
  const given = [...Map.groupBy(chunks, ({ accountId }) => accountId).values()].flatMap((own) => {
    const first = own.find(({ delivery }) => failed.has(delivery.messageId));
    return first !== undefined && broken.has(first.delivery.messageId) && isLastTry(first.delivery) ? [first] : [];
  });
  if (given.length === 0) return;
  for (const messageId of withTails(chunks, failed)) failed.add(messageId);
  await quarantineBroken(
    given.map((one) => ({ ...one, names: one.chunk })),
    invocation,
  );
}

/** The failed messages, and for each account all messages from its first failed one on. */
function withTails(chunks: readonly ChunkDelivery[], failed: ReadonlySet<string>): Set<string> {
  const again = new Set(failed);
  const stopped = new Set<string>();
  for (const { delivery, accountId } of chunks) {
    if (failed.has(delivery.messageId)) stopped.add(accountId);
    if (stopped.has(accountId)) again.add(delivery.messageId);
  }
  return again;
}

function withoutTails<D extends ChunkDelivery>(
  deliveries: readonly D[],
  chunks: readonly ChunkDelivery[],
  failed: ReadonlySet<string>,
): D[] {
  const again = withTails(chunks, failed);
  return deliveries.filter(({ delivery }) => !again.has(delivery.messageId));
}
