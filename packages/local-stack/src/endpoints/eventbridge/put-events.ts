import { randomUUID } from 'node:crypto';
import { validationError } from '../aws-error.ts';
import type { SqsStores } from '../sqs/endpoint.ts';
import { checkEntry, type EntryFailure, type EventEntry, entryBytes, toEvent } from './event-entry.ts';
import type { EventBridgeStore } from './store.ts';

/** PutEvents takes at most ten entries (PutEvents, EventBridge API Reference). */
const maxEntries = 10;
/** The total entry size must be less than 256 KB (PutEvents, EventBridge API Reference). */
const sizeLimitBytes = 256 * 1024;

interface PutEventsAnswer {
  readonly FailedEntryCount: number;
  readonly Entries: readonly ({ readonly EventId: string } | EntryFailure)[];
}

export type PutEvents = (entries: readonly EventEntry[]) => PutEventsAnswer;

/**
 * Takes events and puts them into the target queues in one transaction before it answers: what got an `EventId` cannot
 * be lost. A bad entry fails alone; the good ones of the same call are delivered. As on AWS, a target whose queue has
 * been deleted gets nothing. An unknown bus fails its entry: AWS takes the event and drops it, which hides a wrong name.
 */
export function createPutEvents(store: EventBridgeStore, sqs: SqsStores): PutEvents {
  function take(entry: EventEntry, notify: Set<string>): { EventId: string } | EntryFailure {
    const failure = checkEntry(entry);
    if (failure) return failure;
    const bus = busNameOf(entry.EventBusName);
    if (!store.hasBus(bus)) {
      return { ErrorCode: 'ResourceNotFoundException', ErrorMessage: `Event bus ${bus} does not exist.` };
    }
    const eventId = randomUUID();
    const event = toEvent(entry, eventId, sqs.clock());
    for (const target of store.targetsOf(bus, event.envelope)) {
      const queue = sqs.queues.get(target.queue);
      if (!queue) continue;
      sqs.messages.send(queue, {
        body: event.json,
        attributes: {},
        delaySeconds: undefined,
        groupId: target.groupId,
        deduplicationId: undefined,
      });
      notify.add(queue.name);
    }
    return { EventId: eventId };
  }

  return (entries) => {
    checkCall(entries);
    const notify = new Set<string>();
    const results = sqs.database.transaction(() => entries.map((entry) => take(entry, notify)));
    for (const queueName of notify) sqs.waiters.notify(queueName);
    return { FailedEntryCount: results.filter((result) => 'ErrorCode' in result).length, Entries: results };
  };
}

function checkCall(entries: readonly EventEntry[]): void {
  if (entries.length === 0 || entries.length > maxEntries) {
    throw validationError(
      `1 validation error detected: Value at 'entries' failed to satisfy constraint: Member must have length between 1 and ${maxEntries}`,
    );
  }
  const bytes = entries.reduce((sum, entry) => sum + entryBytes(entry), 0);
  if (bytes >= sizeLimitBytes) {
    throw validationError('Total size of the entries in the request is over the limit.');
  }
}

/** A bus by its name or ARN; the default bus where neither is given. */
export const busNameOf = (nameOrArn: string | undefined): string =>
  (nameOrArn ?? 'default').replace(/^arn:aws:events:[^:]*:\d*:event-bus\//, '');
