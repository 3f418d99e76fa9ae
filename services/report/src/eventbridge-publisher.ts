import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { eventSource, type UsherEvent } from '@usher/contracts';
import { UsherError } from '@usher/limiter-core/bulk';

/** The bus did not take an event. The run it tells of stays sealed, and the next closer publishes it. */
export class EventNotTakenError extends UsherError {
  override readonly name = 'EventNotTakenError';
}

/** Publishes one event at a time: a closer has a few in a day. */
export function eventBridgePublisher(options: {
  readonly eventBridge: EventBridgeClient;
  readonly eventBusName: string;
}): (event: UsherEvent) => Promise<void> {
  const { eventBridge, eventBusName } = options;
  return async ({ detailType, detail }) => {
    const entry = {
      EventBusName: eventBusName,
      Source: eventSource,
      DetailType: detailType,
      Time: new Date(detail.metadata.occurredAt),
      Detail: JSON.stringify(detail),
    };
    const { Entries: [result] = [] } = await eventBridge.send(new PutEventsCommand({ Entries: [entry] }));
    if (result?.EventId === undefined) throw new EventNotTakenError(`EventBridge answered ${result?.ErrorCode}`);
  };
}
