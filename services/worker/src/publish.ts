import type { UsherEvent } from '@usher/contracts';
import { errorFields } from '@usher/service';
import type { BadDelivery, SettledDelivery } from './deliveries.ts';
import { publishEvents } from './eventbridge-events.ts';
import { eventsOf, quarantinedEvent } from './events.ts';
import { computeFor, type Invocation, type Owner } from './invocation.ts';
import { workerMetrics } from './metrics.ts';

/** Publishes the events of each delivery, and marks as failed those with an event that the bus did not take. */
export async function publish(
  settled: readonly SettledDelivery[],
  quarantined: readonly BadDelivery[],
  invocation: Invocation,
): Promise<void> {
  const { ports, isOverdue, failed } = invocation;
  const nowMs = ports.clock();
  const of = ({ delivery, accountId }: Owner, make: () => UsherEvent[]) =>
    computeFor([{ delivery, accountId }], invocation, make).flatMap((events) =>
      events.map((event) => ({ delivery, accountId, event })),
    );
  const events = [
    ...settled.flatMap((one) => of(one, () => eventsOf(one.chunk, one.outcome))),
    ...quarantined.flatMap((one) => of(one, () => [quarantinedEvent(one, nowMs)])),
  ];
  const unpublished = await publishEvents(events, {
    eventBridge: ports.eventBridge,
    eventBusName: ports.config.eventBusName,
    retry: ports.retry,
    isOverdue,
    onFailure: (problem, untaken) => {
      ports.meter.count(workerMetrics.eventFailures, untaken.length);
      for (const [accountId, { length: entries }] of Map.groupBy(untaken, (event) => event.accountId)) {
        ports.log.warn('Events were not taken', { accountId, entries, ...errorFields(problem) });
      }
    },
  });
  for (const messageId of unpublished) failed.add(messageId);
}
