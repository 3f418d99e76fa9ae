import { maxDelaySeconds, workerBatchSize, workerTimeoutSeconds } from '@usher/contracts';

/**
 * The numbers of the deployment, in one place because they lean on each other and on the queues' (contracts,
 * `queue-settings.ts`); `numbers.test.ts` fails when a relation no longer holds. Units come last in names.
 */

/** Accepts bookings. */
export const intake = {
  /** Less than the lease of a header (30 s): when the lease is over, the attempt that held it is surely dead. */
  timeoutSeconds: 25,
  /** CPU comes with memory: a 4 MiB body of 10,000 rows is parsed, checked and hashed within about a second. */
  memoryMb: 1024,
} as const;

/** Settles chunks. */
export const worker = {
  timeoutSeconds: workerTimeoutSeconds,
  memoryMb: 512,
  batchSize: workerBatchSize,
  /**
   * Batches at a time. 50 × 10 chunks × 100 reservations in flight is far above what any partner submits, and leaves
   * 950 of a Region's default 1,000 concurrent executions to intake and to others. Because the event source itself
   * stops here, Lambda is not asked for more and throttles none of it.
   */
  maxConcurrency: 50,
} as const;

/** Passes far slots on. */
export const pacer = {
  timeoutSeconds: workerTimeoutSeconds,
  memoryMb: 512,
  batchSize: workerBatchSize,
  /** A pacing message comes back at most every 15 minutes, so a few batches at a time are plenty. */
  maxConcurrency: 10,
} as const;

/** SQS's largest message (1 MiB since August 2025). Set, because a quarantined message frames another one. */
export const messageMaxBytes = 1_048_576;

/**
 * The time that settling one batch may take while AWS is slow but not failing. One call is given 100 ms, several times
 * the usual p99 within a Region. A chunk of 100 rows that are each due in another second needs 100 dispatch messages,
 * ten a call; its events and its pacing message add one call each, its share of the four DynamoDB calls of the batch
 * (accounts, ledger, update, record) is counted in full. Calls are made one after another.
 */
export const settleBudget = {
  callMs: 100,
  callsPerChunk: { dispatch: 10, pacing: 1, events: 1, dynamoDb: 4 },
} as const;

/** HTTP API: requests per second and at once, all callers together; the limiter per account stands behind it. */
export const throttle = {
  /** 50 submissions of 10,000 reservations a second would be 500,000 rows; status reads make up most of this. */
  rateLimit: 200,
  burstLimit: 400,
} as const;

/** How long events can be replayed from the archive. */
export const archiveDays = 30;

/** What the alarms compare with; `docs/runbook.md` tells each one's meaning. */
export const alarmAt = {
  /** A batch that failed once comes again after 180 s: five minutes means that it failed twice, or that nobody works. */
  oldestChunkSeconds: 300,
  /** Waiting longer than SQS delays a message, plus the five minutes of above. */
  oldestDelayedSeconds: maxDelaySeconds + 300,
  /** SQS looks for free groups among the first 120,000 messages of a FIFO queue; half of that is time to act. */
  waitingChunks: 60_000,
  /** 500s and 503s in five minutes. A client sends a 503 again under the same key, so a single one harms nobody. */
  serverErrors: 5,
  /** Share of the timeout that the p99 of a duration may reach. */
  durationShare: 0.8,
  /** One writer per account: conflicts come from SDK retries and crashes only, a handful at a time. */
  contentionRetries: 20,
} as const;
