import { type } from 'arktype';
import { ReservationId } from './booking.ts';
import { AccountId, BookingId, ChunkIndex, Cost, Count, Instant, RejectReason, Window } from './fields.ts';

/** The `Source` of every event that Usher publishes. */
export const eventSource = 'usher.quota';
/** The name of the event bus. */
export const eventBusName = 'usher';
/** The version of the details below. */
export const eventSchemaVersion = 1;

const metadata = type({
  '+': 'reject',
  /** Equal for repeats of one event: consumers must treat a repeated id as a repeat. */
  id: '1 <= string <= 512',
  occurredAt: Instant,
  schemaVersion: '1',
  /** The booking that caused the event, if one did. */
  'correlationId?': 'string',
});
const bookingMetadata = type(metadata, '&', { correlationId: BookingId });
const amount = type({ '+': 'reject', count: Count, cost: Count });

/** Rows of one chunk that were rejected, or in observe mode would have been. */
export const ReservationsRejected = type({
  '+': 'reject',
  metadata: bookingMetadata,
  data: {
    '+': 'reject',
    accountId: AccountId,
    bookingId: BookingId,
    chunk: ChunkIndex,
    window: Window,
    limit: Count,
    used: Count,
    mode: "'enforce' | 'observe'",
    reservations: type({ '+': 'reject', id: ReservationId, cost: Cost, reason: RejectReason }).array().atLeastLength(1),
  },
});
export type ReservationsRejected = typeof ReservationsRejected.infer;

/** The usage of one chunk; `used` is the window's usage after it. */
export const QuotaUsageRecorded = type({
  '+': 'reject',
  metadata: bookingMetadata,
  data: {
    '+': 'reject',
    accountId: AccountId,
    bookingId: BookingId,
    chunk: ChunkIndex,
    window: Window,
    limit: Count,
    used: Count,
    granted: amount,
    rejected: amount,
  },
});
export type QuotaUsageRecorded = typeof QuotaUsageRecorded.infer;

/** Usage has reached a threshold, a share of the limit. */
export const QuotaThresholdReached = type({
  '+': 'reject',
  metadata: bookingMetadata,
  data: {
    '+': 'reject',
    accountId: AccountId,
    window: Window,
    limit: Count,
    used: Count,
    threshold: '0 < number <= 1',
  },
});
export type QuotaThresholdReached = typeof QuotaThresholdReached.infer;

/**
 * Reasons to quarantine a message. `processing_failed`: code failed on it time and again, and no service did. Messages of
 * all other reasons can never be read or settled, and are put aside at their first receive.
 */
export const quarantineReasons = [
  'invalid_json',
  'invalid_message',
  'group_mismatch',
  'digest_mismatch',
  'too_old',
  'processing_failed',
] as const;
export type QuarantineReason = (typeof quarantineReasons)[number];

/** A message that can never be processed was put aside for an operator. */
export const MessageQuarantined = type({
  '+': 'reject',
  metadata,
  data: {
    '+': 'reject',
    reason: type.enumerated(...quarantineReasons),
    messageId: 'string > 0',
    'accountId?': AccountId,
  },
});
export type MessageQuarantined = typeof MessageQuarantined.infer;

/** The schema of each event's detail, by its detail-type. */
export const eventDetails = {
  'Reservations Rejected': ReservationsRejected,
  'Quota Usage Recorded': QuotaUsageRecorded,
  'Quota Threshold Reached': QuotaThresholdReached,
  'Message Quarantined': MessageQuarantined,
} as const;
export type EventDetailType = keyof typeof eventDetails;

/** A detail-type with the detail that belongs to it. */
export type UsherEvent = {
  [K in EventDetailType]: { readonly detailType: K; readonly detail: (typeof eventDetails)[K]['infer'] };
}[EventDetailType];

/** Makes the ids of events, of the names of their subjects: so a repeat has the id of the first. */
export const eventIds = {
  rejected: (of: { bookingId: string; chunkIndex: number; part: number }): string =>
    `${of.bookingId}#${of.chunkIndex}#rejected#${of.part}`,
  usage: (of: { bookingId: string; chunkIndex: number }): string => `${of.bookingId}#${of.chunkIndex}#usage`,
  /** Of the chunk that passed it: the same share may be passed again, after the limit was raised. */
  threshold: (of: { bookingId: string; chunkIndex: number; threshold: number }): string =>
    `${of.bookingId}#${of.chunkIndex}#threshold#day#${of.threshold}`,
  quarantined: (messageId: string): string => messageId,
} as const;
