import { MetricUnit } from '@aws-lambda-powertools/metrics';
import type { RefusedRecord } from './decode.ts';
import { type Invocation, sendOwned } from './invocation.ts';
import { quarantineMessage } from './sqs-quarantine.ts';

/**
 * Puts refused messages aside, where an operator sees them; one that cannot be put aside comes again.
 *
 * @returns those that are in quarantine now
 */
export async function quarantine(refused: readonly RefusedRecord[], invocation: Invocation): Promise<RefusedRecord[]> {
  if (refused.length === 0) return [];
  const { deps, failed } = invocation;
  const owned = refused.map((one) => ({ messageId: one.record.messageId, message: quarantineMessage(one) }));
  await sendOwned(deps.config.quarantineQueueUrl, owned, invocation);
  const taken = refused.filter(({ record }) => !failed.has(record.messageId));
  for (const { record, reason } of taken) {
    deps.logger.error('A message is quarantined', { messageId: record.messageId, reason });
  }
  deps.metrics.addMetric('Quarantined', MetricUnit.Count, taken.length);
  return taken;
}
