export { errorFields, type Log } from '@usher/contracts';

/** What intake counts, by the name of the metric. */
export const intakeMetrics = {
  bookingsAccepted: 'BookingsAccepted',
  reservationsAccepted: 'ReservationsAccepted',
  chunksQueued: 'ChunksQueued',
  bookingsReplayed: 'BookingsReplayed',
  submissionsLimited: 'SubmissionsLimited',
  requestsLimited: 'RequestsLimited',
  requestsRefused: 'RequestsRefused',
  limiterFailedOpen: 'SubmissionLimiterFailedOpen',
  queueFailures: 'QueueFailures',
  unavailable: 'IntakeUnavailable',
  unreadableItems: 'UnreadableItems',
  unexpectedErrors: 'UnexpectedErrors',
} as const;
export type IntakeMetric = (typeof intakeMetrics)[keyof typeof intakeMetrics];

/** Where intake counts. */
export interface Meter {
  count(metric: IntakeMetric, value: number): void;
}
