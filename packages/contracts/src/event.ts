import { type } from 'arktype';
import { ReservationId } from './booking.ts';
import { Amount, Observed, Refused } from './event-amounts.ts';
import {
  AccountId,
  BookingId,
  ChunkIndex,
  Cost,
  Count,
  Instant,
  PlainDate,
  RejectReason,
  Timezone,
  Window,
} from './fields.ts';

/** The `Source` of every event that Usher publishes. */
export const eventSource = 'usher.quota';
/** The name of the event bus. */
export const eventBusName = 'usher';
/** The version of the details below. They are closed, so one field more or less is another version. */
export const eventSchemaVersion = 1;

/** Equal for repeats of one event: consumers must treat a repeated id as a repeat. */
const EventId = type('1 <= string <= 512');
const PolicyMode = type("'enforce' | 'observe'");

const metadata = type({
  '+': 'reject',
  id: EventId,
  occurredAt: Instant,
  schemaVersion: '1',
  /** The booking that caused the event, if one did. */
  'correlationId?': 'string',
});
const bookingMetadata = type(metadata, '&', { correlationId: BookingId });

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
    mode: PolicyMode,
    reservations: type({ '+': 'reject', id: ReservationId, cost: Cost, reason: RejectReason }).array().atLeastLength(1),
  },
});
export type ReservationsRejected = typeof ReservationsRejected.infer;

/**
 * The usage of one chunk; `used` is the window's usage after it. It is all that a report needs of the chunk: what was
 * granted and rejected and for which reasons, and the two instants between which the partner waited.
 */
export const QuotaUsageRecorded = type({
  '+': 'reject',
  metadata: bookingMetadata,
  data: type({
    '+': 'reject',
    accountId: AccountId,
    bookingId: BookingId,
    chunk: ChunkIndex,
    acceptedAt: Instant,
    decidedAt: Instant,
    window: Window,
    limit: Count,
    used: Count,
    mode: PolicyMode,
    granted: Amount,
    rejected: Refused,
    /** Only in observe mode, and only where there are such rows. */
    'observed?': Observed,
  }).narrow(
    ({ mode, observed }, ctx) =>
      observed === undefined || mode === 'observe' || ctx.reject({ expected: 'absent', relativePath: ['observed'] }),
  ),
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
  data: type({
    '+': 'reject',
    reason: type.enumerated(...quarantineReasons),
    messageId: 'string > 0',
    /** The message's group, where it has one. */
    'accountId?': AccountId,
    /** The chunk that the body names. Where nothing of the body could be read, there is none. */
    'bookingId?': BookingId,
    'chunk?': ChunkIndex,
  }).narrow(
    ({ bookingId, chunk }, ctx) =>
      (bookingId === undefined) === (chunk === undefined) ||
      ctx.mustBe('an object with both bookingId and chunk, or neither'),
  ),
});
export type MessageQuarantined = typeof MessageQuarantined.infer;

/**
 * States of a day's report. `provisional`: something of the day may still be undecided or missing; `complete`: nothing
 * is; `final`: later facts go to later reports.
 */
export const reportStates = ['provisional', 'complete', 'final'] as const;

/** A file of a report. */
const ReportFile = type({
  '+': 'reject',
  name: /^[A-Za-z0-9._@|+/-]{1,512}$/,
  bytes: Count,
  sha256: /^[0-9a-f]{64}$/,
});

/** A report of a day was written: of the accounts of one time zone, or of all. */
export const DailyQuotaReport = type({
  '+': 'reject',
  metadata,
  data: {
    '+': 'reject',
    date: PlainDate,
    timezone: type("'all'").or(Timezone),
    state: type.enumerated(...reportStates),
    /** 1 for the first report of this date and zone, one more for each after it. */
    run: '1 <= number.integer <= 9007199254740991',
    /** The event of the report that this one takes the place of. */
    'supersedes?': EventId,
    totals: { '+': 'reject', accounts: Count, granted: Amount, rejected: Refused, 'observed?': Observed },
    /** The forms of the report as a whole. Files of single accounts are not listed: they can be thousands. */
    files: ReportFile.array().atLeastLength(1).atMostLength(100),
  },
});
export type DailyQuotaReport = typeof DailyQuotaReport.infer;

/** The schema of each event's detail, by its detail-type. */
export const eventDetails = {
  'Reservations Rejected': ReservationsRejected,
  'Quota Usage Recorded': QuotaUsageRecorded,
  'Quota Threshold Reached': QuotaThresholdReached,
  'Message Quarantined': MessageQuarantined,
  'Daily Quota Report': DailyQuotaReport,
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
  /**
   * Of the run, and not of the content: whoever writes a report claims the run with the digests of its files first, so a
   * repeat after a crash tells the same. A consumer can make the id of a report that it misses.
   */
  report: (of: { date: string; timezone: string; run: number }): string => `${of.date}#${of.timezone}#report#${of.run}`,
} as const;
