/** The metrics of the worker's functions, by the names that CloudWatch knows. */
export const workerMetrics = {
  granted: 'Granted',
  rejected: 'Rejected',
  replayed: 'Replayed',
  quarantined: 'Quarantined',
  dispatched: 'Dispatched',
  paced: 'Paced',
  settleLatency: 'SettleLatency',
  contentionRetries: 'ContentionRetries',
  /** Accounts that were not settled because their policy cannot be read, once for each batch. */
  unreadablePolicies: 'UnreadablePolicies',
  /** Buckets that were emptied because a wrong clock had scheduled them. */
  wrongClocks: 'WrongClocks',
  eventFailures: 'EventFailures',
  /** Messages of the worker and the pacer that SQS did not take. */
  sendFailures: 'SendFailures',
} as const;
export type WorkerMetric = (typeof workerMetrics)[keyof typeof workerMetrics];
