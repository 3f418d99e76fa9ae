import { MetricUnit } from '@aws-lambda-powertools/metrics';
import type { RefusedRecord } from './decode.ts';
import { publishEvents } from './eventbridge-events.ts';
import { eventsOf, quarantinedEvent } from './events.ts';
import type { Invocation } from './invocation.ts';
import { distinctChunks, type SettledRecord } from './settle-records.ts';

/** Publishes what happened to each record, and marks as failed those with an event that the bus did not take. */
export async function publish(
  settled: readonly SettledRecord[],
  quarantined: readonly RefusedRecord[],
  { deps, isOverdue, failed }: Invocation,
): Promise<void> {
  const nowMs = deps.clock();
  const events = [
    ...distinctChunks(settled).flatMap(({ record, message, outcome }) =>
      eventsOf(message, outcome).map((event) => ({ messageId: record.messageId, event })),
    ),
    ...quarantined.map((refused) => ({
      messageId: refused.record.messageId,
      event: quarantinedEvent(refused, nowMs),
    })),
  ];
  const unpublished = await publishEvents(events, {
    eventBridge: deps.eventBridge,
    eventBusName: deps.config.eventBusName,
    retry: deps.retry,
    isOverdue,
    onFailure: (problem, entries) => {
      deps.metrics.addMetric('EventFailures', MetricUnit.Count, entries);
      deps.logger.warn('Events were not taken', { entries, problem });
    },
  });
  for (const messageId of unpublished) failed.add(messageId);
}
