import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { type Invocation, sendOwned } from './invocation.ts';
import type { Handoff } from './sqs-dispatch.ts';

/** What to hand on on behalf of one record. */
export interface OwnedHandoff {
  readonly messageId: string;
  readonly handoff: Handoff;
}

/** Sends dispatches, then what has to wait in pacing; marks as failed the records for which one was not taken. */
export async function sendHandoffs(handoffs: readonly OwnedHandoff[], invocation: Invocation): Promise<void> {
  const { config, metrics } = invocation.deps;
  const dispatches = handoffs.flatMap(({ messageId, handoff }) =>
    handoff.dispatches.map((message) => ({ messageId, message })),
  );
  const paced = handoffs.flatMap(({ messageId, handoff }) =>
    handoff.pacing === undefined ? [] : [{ messageId, message: handoff.pacing }],
  );
  await sendOwned(config.dispatchQueueUrl, dispatches, invocation);
  await sendOwned(config.pacingQueueUrl, paced, invocation);
  metrics.addMetric('Dispatched', MetricUnit.Count, dispatches.length);
  metrics.addMetric('Paced', MetricUnit.Count, paced.length);
}
