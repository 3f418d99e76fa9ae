import { type EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { eventSource, type UsherEvent } from '@usher/contracts';
import { jitteredMs, type RetryEnvironment } from '@usher/limiter-core/bulk';
import { NotTakenError } from '@usher/sqs-batch';
import type { Owner } from './invocation.ts';

/** An event on behalf of one delivery, which has to be given back if the event cannot be published. */
export interface OutgoingEvent extends Owner {
  readonly event: UsherEvent;
}

export interface PublishOptions {
  readonly eventBridge: EventBridgeClient;
  readonly eventBusName: string;
  readonly retry: RetryEnvironment;
  /** Calls made at the most for entries that failed. @default 4 */
  readonly maxAttempts?: number;
  /** True once no time is left for another call. @default never */
  readonly isOverdue?: () => boolean;
  /** Told of each call that failed or left events behind, with what EventBridge said and which. */
  readonly onFailure?: (problem: unknown, untaken: readonly OutgoingEvent[]) => void;
}

// EventBridge's bounds of one PutEvents (user guide, "Calculating PutEvents event entry size"): fewer bytes than this.
const maxEntries = 10;
const maxBytes = 256 * 1024;

interface Entry extends OutgoingEvent {
  readonly request: PutEventsRequestEntry;
}

/**
 * Publishes events in as few calls as EventBridge allows. A call that answers 200 may have failed for some of its
 * entries, or name fewer than were sent; those alone are sent again, under their own ids.
 *
 * @returns the messageIds of the deliveries for which an event could not be published
 */
export async function publishEvents(
  events: readonly OutgoingEvent[],
  options: PublishOptions,
): Promise<ReadonlySet<string>> {
  const failed = new Set<string>();
  const entries = events.map((event): Entry => ({ ...event, request: toRequest(event.event, options) }));
  for (const call of cut(entries)) {
    for (const { delivery } of await publishCall(call, options)) failed.add(delivery.messageId);
  }
  return failed;
}

function toRequest({ detailType, detail }: UsherEvent, { eventBusName }: PublishOptions): PutEventsRequestEntry {
  return {
    EventBusName: eventBusName,
    Source: eventSource,
    DetailType: detailType,
    Time: new Date(detail.metadata.occurredAt),
    Detail: JSON.stringify(detail),
  };
}

/** An entry's size as EventBridge counts it: 14 bytes for Time, UTF-8 bytes for the rest. */
export function entryBytes({ Source = '', DetailType = '', Detail = '' }: PutEventsRequestEntry): number {
  return 14 + Buffer.byteLength(Source) + Buffer.byteLength(DetailType) + Buffer.byteLength(Detail);
}

function* cut(entries: readonly Entry[]): Generator<Entry[]> {
  let call: Entry[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = entryBytes(entry.request);
    if (call.length === maxEntries || (call.length > 0 && bytes + size >= maxBytes)) {
      yield call;
      call = [];
      bytes = 0;
    }
    call.push(entry);
    bytes += size;
  }
  if (call.length > 0) yield call;
}

async function publishCall(call: readonly Entry[], options: PublishOptions): Promise<readonly Entry[]> {
  const { eventBridge, retry, maxAttempts = 4, isOverdue = () => false, onFailure } = options;
  let pending = call;
  for (let attempt = 1; ; attempt++) {
    if (isOverdue()) return pending;
    try {
      const answer = await eventBridge.send(new PutEventsCommand({ Entries: pending.map(({ request }) => request) }));
      const results = answer.Entries ?? [];
      const failed = pending.filter((_, i) => results[i]?.EventId === undefined);
      if (failed.length > 0) {
        const codes = pending.flatMap((_, i) => (results[i]?.EventId === undefined ? [results[i]?.ErrorCode] : []));
        onFailure?.(new NotTakenError(codes), failed);
      }
      pending = failed;
    } catch (error) {
      onFailure?.(error, pending);
    }
    if (pending.length === 0 || attempt >= maxAttempts) return pending;
    await retry.sleep(jitteredMs(attempt, retry.random));
  }
}
