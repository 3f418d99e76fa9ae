import { maxDelaySeconds, workerBatchSize, workerTimeoutSeconds } from '@usher/contracts';

/**
 * The numbers of the deployment, in one place because they lean on each other and on the queues' (contracts,
 * `queue-settings.ts`); `numbers.test.ts` fails when a relation no longer holds. Units come last in names.
 */

/** Accepts bookings. */
export const intake = {
  /** The time-out, below a header's lease of 30 s: once that is over, the attempt that held it is surely dead. */
  timeoutSeconds: 25,
  /** CPU comes with memory: a 4 MiB body of 10,000 rows is parsed, checked and hashed within about a second. */
  memoryMb: 1024,
  /**
   * Executions at a time, kept for intake and its cap, so that no storm of requests takes what the worker needs. All
   * that the throttles let through at once finds room: a full burst of submissions of a second each, and reads of 100
   * ms on every route at their full rate, make 160.
   */
  reservedConcurrency: 200,
} as const;

/** Settles chunks. */
export const worker = {
  timeoutSeconds: workerTimeoutSeconds,
  memoryMb: 512,
  batchSize: workerBatchSize,
  /**
   * Batches at a time. 50 × 10 chunks × 100 reservations in flight is far above what any partner submits, and leaves
   * the rest of a Region's default 1,000 concurrent executions to others. So many are kept for the worker (reserved
   * concurrency), and because the event source itself stops here, Lambda is not asked for more and throttles none of
   * it.
   */
  maxConcurrency: 50,
} as const;

/** Passes far slots on. */
export const pacer = {
  timeoutSeconds: workerTimeoutSeconds,
  memoryMb: 512,
  batchSize: workerBatchSize,
  /** A pacing message comes back at most every 15 minutes, so a few batches at a time are plenty. They are kept too. */
  maxConcurrency: 10,
} as const;

/** Keeps the events that reports are made of. */
export const reporter = {
  timeoutSeconds: workerTimeoutSeconds,
  memoryMb: 256,
  batchSize: workerBatchSize,
  /** A batch is one or two calls; five at a time keep up with all that fifty batches of the worker publish. */
  maxConcurrency: 5,
} as const;

/** Writes daily reports. */
export const closer = {
  /** The time-out, below the lease of a run (14 minutes): once that is over, the closer that held it is surely dead. */
  timeoutSeconds: 780,
  memoryMb: 1024,
  /** One closer at a time: two would do the same work, and one of them for nothing. */
  maxConcurrency: 1,
  everyMinutes: 15,
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

/**
 * HTTP API: requests per second and at once, of all callers together, each route by itself; the limiters per account
 * stand behind it.
 */
export const throttle = {
  /** Status, lists, quota. */
  reads: { rateLimit: 200, burstLimit: 400 },
  /** 50 submissions of 10,000 reservations a second are 500,000 rows. */
  submissions: { rateLimit: 50, burstLimit: 100 },
  /** Constant answers without a token: for a monitor and for whoever reads the description, not for a flood. */
  open: { rateLimit: 10, burstLimit: 20 },
} as const;

/** The archive's retention: events can be replayed for so long. */
export const archiveDays = 30;

/** The thresholds of the alarms; `docs/runbook.md` tells each one's meaning. */
export const alarmAt = {
  /** A batch that failed once comes again after 180 s: five minutes tell that it failed twice, or that nobody works. */
  oldestChunkSeconds: 300,
  /** Waiting longer than SQS delays a message, plus the five minutes of above. */
  oldestDelayedSeconds: maxDelaySeconds + 300,
  /** SQS looks for free groups among the first 120,000 messages of a FIFO queue; half of that is time to act. */
  waitingChunks: 60_000,
  /** 500s and 503s in five minutes. A client sends a 503 again under the same key, so a single one harms nobody. */
  serverErrors: 5,
  /** 4xx in five minutes, three a second: far above what partners mistype, below what the throttles let through. */
  clientErrors: 1000,
  /** 429s in five minutes. A client that waits as `Retry-After` says gets a handful; a storm ignores it. */
  throttledRequests: 100,
  /** Share of the timeout that the p99 of a duration may reach. */
  durationShare: 0.8,
  /** Share of its reserved concurrency that intake may use for three minutes before anybody is refused. */
  concurrencyShare: 0.8,
  /**
   * Read units in five minutes: a tenth of what one partition gives (3,000 a second). It costs about $3 a day, and is
   * some 40 status pages of 1,000 rows a second, so it tells of polling without pause before it is throttled.
   */
  readUnits: 0.1 * 3000 * 300,
  /** No run of the closer in so many minutes: four that a schedule should have started. */
  closerIdleMinutes: 60,
  /** One writer per account: conflicts come from SDK retries and crashes only, a handful at a time. */
  contentionRetries: 20,
} as const;
