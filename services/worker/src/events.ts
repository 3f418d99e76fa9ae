import {
  eventIds,
  eventSchemaVersion,
  type MessageQuarantined,
  type QuotaUsageRecorded,
  type ReservationsRejected,
  type UsherEvent,
} from '@usher/contracts';
import {
  amounts,
  isGranted,
  type Outcome,
  rejectReasons,
  thresholdsReached,
  toRfc3339,
  usedAfter,
} from '@usher/limiter-core/bulk';
import type { BadDelivery, BookedChunk } from './deliveries.ts';

type Refused = QuotaUsageRecorded['data']['rejected'];
type RejectedRow = ReservationsRejected['data']['reservations'][number];

/** The most UTF-8 bytes of rejected rows in one event: half of what EventBridge takes, the rest is room for the frame. */
const maxRejectedBytes = 128 * 1024;

/**
 * The events that tell of a settled chunk: its usage, its rejections, the thresholds it passed. A function of chunk
 * and outcome alone, so that a replay publishes the very same events under the very same ids.
 */
export function eventsOf(chunk: BookedChunk, outcome: Outcome, partBytes = maxRejectedBytes): UsherEvent[] {
  const { accountId, bookingId, chunkIndex, window } = chunk;
  const figures = { window, limit: outcome.limit, used: usedAfter(outcome) };
  const metadata = (id: string) =>
    ({
      id,
      occurredAt: toRfc3339(outcome.settledAtMs),
      schemaVersion: eventSchemaVersion,
      correlationId: bookingId,
    }) as const;
  const usage: UsherEvent = {
    detailType: 'Quota Usage Recorded',
    detail: {
      metadata: metadata(eventIds.usage({ bookingId, chunkIndex })),
      data: {
        accountId,
        bookingId,
        chunk: chunkIndex,
        acceptedAt: toRfc3339(chunk.acceptedAtMs),
        decidedAt: toRfc3339(outcome.settledAtMs),
        ...figures,
        mode: outcome.policyMode,
        granted: amounts(outcome).granted,
        ...refusedOf(chunk, outcome),
      },
    },
  };
  const rejections = cutByBytes(rejectedRows(chunk, outcome), partBytes).map(
    (reservations, part): UsherEvent => ({
      detailType: 'Reservations Rejected',
      detail: {
        metadata: metadata(eventIds.rejected({ bookingId, chunkIndex, part })),
        data: { accountId, bookingId, chunk: chunkIndex, ...figures, mode: outcome.policyMode, reservations },
      },
    }),
  );
  const thresholds = thresholdsReached(outcome).map(
    (threshold): UsherEvent => ({
      detailType: 'Quota Threshold Reached',
      detail: {
        metadata: metadata(eventIds.threshold({ bookingId, chunkIndex, threshold })),
        data: { accountId, ...figures, threshold },
      },
    }),
  );
  return [...rejections, usage, ...thresholds];
}

/** The event that tells of a quarantined message. */
export function quarantinedEvent({ delivery, reason, accountId, names }: BadDelivery, nowMs: number): UsherEvent {
  const detail: MessageQuarantined = {
    metadata: {
      id: eventIds.quarantined(delivery.messageId),
      occurredAt: toRfc3339(nowMs),
      schemaVersion: eventSchemaVersion,
    },
    data: {
      reason,
      messageId: delivery.messageId,
      ...(accountId === undefined ? {} : { accountId }),
      ...(names === undefined ? {} : { bookingId: names.bookingId, chunk: names.chunkIndex }),
    },
  };
  return { detailType: 'Message Quarantined', detail };
}

/** Rows with something against them by reason: those rejected, and those that observe mode granted all the same. */
function refusedOf({ rows }: BookedChunk, outcome: Outcome): Pick<QuotaUsageRecorded['data'], 'rejected' | 'observed'> {
  const rejected: Refused = { count: 0, cost: 0, byReason: {} };
  const observed: Refused = { count: 0, cost: 0, byReason: {} };
  for (const reason of rejectReasons) {
    const costs = rows.flatMap(({ cost }, row) => (outcome.reasons[row] === reason ? [cost] : []));
    if (costs.length === 0) continue;
    const amount = { count: costs.length, cost: costs.reduce((total, cost) => total + cost, 0) };
    const of = isGranted(outcome, reason) ? observed : rejected;
    of.count += amount.count;
    of.cost += amount.cost;
    of.byReason[reason] = amount;
  }
  return { rejected, ...(observed.count === 0 ? {} : { observed }) };
}

/** Rows with something against them; never their details, which leave by dispatch alone. */
function rejectedRows({ rows }: BookedChunk, outcome: Outcome): RejectedRow[] {
  return rows.flatMap(({ id, cost }, row) => {
    const reason = outcome.reasons[row] ?? null;
    return reason === null ? [] : [{ id, cost, reason }];
  });
}

function cutByBytes(rows: readonly RejectedRow[], maxBytes: number): RejectedRow[][] {
  const parts: RejectedRow[][] = [];
  let room = 0;
  for (const row of rows) {
    const bytes = Buffer.byteLength(JSON.stringify(row)) + 1;
    const part = parts.at(-1);
    if (part === undefined || bytes > room) {
      parts.push([row]);
      room = maxBytes - bytes;
    } else {
      part.push(row);
      room -= bytes;
    }
  }
  return parts;
}
