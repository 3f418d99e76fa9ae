import type { ChunkSlots } from './dispatch-slots.ts';
import { computeFor, type Invocation, type Owner, sendOwned } from './invocation.ts';
import { workerMetrics } from './metrics.ts';
import { releaseTimes } from './release.ts';
import { handoffOf } from './sqs-dispatch.ts';

/** What to hand on on behalf of one record. */
export interface OwnedSlots extends ChunkSlots {
  readonly messageId: string;
}

/**
 * Sends what is due within 15 minutes to dispatch, the rest to pacing; marks as failed the records for which a message
 * was not taken. Such a record comes again with all its slots, so nothing of it goes to pacing now: each copy there
 * would live on until its last slot.
 */
export async function sendHandoffs(owned: readonly OwnedSlots[], invocation: Invocation): Promise<void> {
  const { config, meter, clock } = invocation.deps;
  const nowMs = clock();
  const accounts = [...Map.groupBy(owned, ({ origin }) => origin.accountId).values()];
  const releaseAt = new Map(
    accounts.flatMap((own) => computeFor(own.map(ownerOf), invocation, () => [...releaseTimes(own, nowMs)]).flat()),
  );
  const handoffs = owned
    .filter(({ messageId }) => !invocation.failed.has(messageId))
    .flatMap((chunk) =>
      computeFor([ownerOf(chunk)], invocation, () => ({
        owner: ownerOf(chunk),
        handoff: handoffOf(chunk, { releaseAt, nowMs }),
      })),
    );

  const dispatches = handoffs.flatMap(({ owner, handoff }) =>
    handoff.dispatches.map((message) => ({ ...owner, message })),
  );
  const dispatched = await sendOwned(config.dispatchQueueUrl, dispatches, invocation);
  meter.count(workerMetrics.dispatched, dispatched);

  const paced = handoffs.flatMap(({ owner, handoff }) =>
    handoff.pacing === undefined || invocation.failed.has(owner.messageId)
      ? []
      : [{ ...owner, message: handoff.pacing }],
  );
  meter.count(workerMetrics.paced, await sendOwned(config.pacingQueueUrl, paced, invocation));
}

function ownerOf({ messageId, origin }: OwnedSlots): Owner {
  return { messageId, accountId: origin.accountId };
}
