import type { UsherEvent } from '@usher/contracts';
import { errorFields } from '@usher/service';
import type { RefusedRecord } from './decode.ts';
import { publishEvents } from './eventbridge-events.ts';
import { eventsOf, quarantinedEvent } from './events.ts';
import { computeFor, type Invocation, type Owner } from './invocation.ts';
import { workerMetrics } from './metrics.ts';
import { distinctChunks, type SettledRecord } from './settle-records.ts';

/** Publishes what happened to each record, and marks as failed those with an event that the bus did not take. */
export async function publish(
  settled: readonly SettledRecord[],
  quarantined: readonly RefusedRecord[],
  invocation: Invocation,
): Promise<void> {
  const { deps, isOverdue, failed } = invocation;
  const nowMs = deps.clock();
  const of = (owner: Owner, make: () => UsherEvent[]) =>
    computeFor([owner], invocation, make).flatMap((events) => events.map((event) => ({ ...owner, event })));
  const events = [
    ...distinctChunks(settled).flatMap(({ record: { messageId }, message, outcome }) =>
      of({ messageId, accountId: message.accountId }, () => eventsOf(message, outcome)),
    ),
    ...quarantined.flatMap((refused) => {
      const { record, accountId } = refused;
      return of({ messageId: record.messageId, accountId }, () => [quarantinedEvent(refused, nowMs)]);
    }),
  ];
  const unpublished = await publishEvents(events, {
    eventBridge: deps.eventBridge,
    eventBusName: deps.config.eventBusName,
    retry: deps.retry,
    isOverdue,
    onFailure: (problem, untaken) => {
      deps.meter.count(workerMetrics.eventFailures, untaken.length);
      for (const [accountId, { length: entries }] of Map.groupBy(untaken, (event) => event.accountId)) {
        deps.log.warn('Events were not taken', { accountId, entries, ...errorFields(problem) });
      }
    },
  });
  for (const messageId of unpublished) failed.add(messageId);
}
