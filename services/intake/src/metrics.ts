/** The metrics that intake counts. */
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
