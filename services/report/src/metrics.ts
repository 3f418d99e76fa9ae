/** The metrics of the report's functions, by the names that CloudWatch knows. */
export const reportMetrics = {
  /** Deliveries of events put into the table. */
  factsStored: 'FactsStored',
  /** Deliveries that could not be read or put, and come again. */
  factFailures: 'FactFailures',
  /** Events that left a mark: stored when a report of their day may have been made. */
  lateFacts: 'LateFacts',
  /** Reports written and told of. */
  reports: 'Reports',
  /** Days and months that could not be closed; the next run tries them again. */
  closeFailures: 'CloseFailures',
  closeDuration: 'CloseDuration',
} as const;
export type ReportMetric = (typeof reportMetrics)[keyof typeof reportMetrics];
