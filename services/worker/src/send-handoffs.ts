import { MetricUnit } from '@aws-lambda-powertools/metrics';
import type { ChunkSlots } from './dispatch-slots.ts';
import { type Invocation, sendOwned } from './invocation.ts';
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
  const { config, metrics, clock } = invocation.deps;
  const nowMs = clock();
  const releaseAt = releaseTimes(owned, nowMs);
  const handoffs = owned.map((chunk) => ({
    messageId: chunk.messageId,
    handoff: handoffOf(chunk, { releaseAt, nowMs }),
  }));

  const dispatches = handoffs.flatMap(({ messageId, handoff }) =>
    handoff.dispatches.map((message) => ({ messageId, message })),
  );
  metrics.addMetric('Dispatched', MetricUnit.Count, await sendOwned(config.dispatchQueueUrl, dispatches, invocation));

  const paced = handoffs.flatMap(({ messageId, handoff }) =>
    handoff.pacing === undefined || invocation.failed.has(messageId) ? [] : [{ messageId, message: handoff.pacing }],
  );
  metrics.addMetric('Paced', MetricUnit.Count, await sendOwned(config.pacingQueueUrl, paced, invocation));
}
