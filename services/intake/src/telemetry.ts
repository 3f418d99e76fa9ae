/** Where intake logs. Fields hold ids and counts, never what partners sent. Powertools' Logger is one. */
export interface Log {
  info(message: string, fields: Record<string, unknown>): void;
  warn(message: string, fields: Record<string, unknown>): void;
  error(message: string, fields: Record<string, unknown>): void;
}

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

/** An error as a log may tell it. */
export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error };
  const { name, stack, cause } = error;
  return { error: name, stack, ...(cause === undefined ? {} : { cause: errorFields(cause) }) };
}
