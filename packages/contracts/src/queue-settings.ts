/**
 * Settings of the queues, the same on AWS, on the embedded stack and in the simulation. They lean on each other;
 * `queue-settings.test.ts` and infra's `numbers.test.ts` fail when a relation no longer holds.
 */

const daySeconds = 86_400;

/** The time an invocation of the worker or of the pacer may take. */
export const workerTimeoutSeconds = 30;

/** The most messages an invocation gets, and the most that a FIFO event source hands over at once. */
export const workerBatchSize = 10;

/** Queues with a consumer: bookings and pacing have the worker's functions, dispatch has the booking system. */
export const workQueue = {
  /** Six times the function's timeout, as AWS advises (Lambda guide, "Using Lambda with Amazon SQS"). */
  visibilityTimeoutSeconds: 6 * workerTimeoutSeconds,
  /**
   * A message that fails comes again after the visibility timeout, so 600 receives ride out 30 hours without the table,
   * the bus or a queue: a day, and a quarter of one to notice and mend. A count this high holds nobody up. A message that
   * can never be processed is quarantined at its first receive, one that fails by itself after
   * `receiveBounds.deterministicError`.
   */
  maxReceiveCount: 600,
  /**
   * A standard queue's message keeps the time of its first sending when it moves to the dead-letter queue, so the
   * dead-letter queue has to keep longer than this: the difference is the operator's time to act, four days. (A FIFO
   * queue's message begins a new time there. SQS guide, "Message retention" of dead-letter queues.)
   */
  retentionSeconds: 10 * daySeconds,
} as const;

/** Dead-letter queues, quarantine and the queue of all events: SQS keeps nothing longer than 14 days. */
export const keptQueue = { retentionSeconds: 14 * daySeconds } as const;

/** SQS's longest DelaySeconds: dispatch and pacing messages are sent at most so far ahead. */
export const maxDelaySeconds = 900;

/** A pacing message comes back so long before its first slot is due: the time by which a pacer may be late. */
export const pacingReserveSeconds = 300;

/**
 * Bounds on `ApproximateReceiveCount`. It also counts receives in which nothing was tried, such as throttled ones: a
 * high count alone is no fault of the message, and none of these bounds refuses one that can be settled.
 */
export const receiveBounds = {
  /**
   * A chunk that fails by its own content or its account's item, at this receive or a later one, is quarantined: half an
   * hour is time to roll a bad version back, and a bug does not block its account for a day.
   */
  deterministicError: 10,
  /**
   * A chunk received more often than this is settled after the others of its batch are done: an account that exhausts
   * memory or time takes no others along.
   */
  settledWithOthers: 3,
} as const;
