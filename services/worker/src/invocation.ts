import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { type OutgoingMessage, sendAll } from '@usher/sqs-batch';
import type { Deadline, WorkerDependencies } from './dependencies.ts';

/** One invocation of a handler: what it works with, its deadline, and which messages have to come again. */
export interface Invocation {
  readonly deps: WorkerDependencies;
  /** True once too little time is left to begin another call. */
  readonly isOverdue: () => boolean;
  /** The messageIds of records that something failed for. */
  readonly failed: Set<string>;
}

export function beginInvocation(deps: WorkerDependencies, deadline: Deadline): Invocation {
  const isOverdue = (): boolean => deadline.getRemainingTimeInMillis() < deps.config.deadlineMarginMs;
  return { deps, isOverdue, failed: new Set() };
}

/** A message to send on behalf of a record, which comes again if SQS does not take it. */
export interface OwnedMessage {
  readonly messageId: string;
  readonly message: OutgoingMessage;
}

/**
 * Sends messages to a queue and marks the records whose message was not taken as failed.
 *
 * @returns how many messages SQS took
 */
export async function sendOwned(
  queueUrl: string,
  owned: readonly OwnedMessage[],
  { deps, isOverdue, failed }: Invocation,
): Promise<number> {
  const untaken = await sendAll({
    sqs: deps.sqs,
    queueUrl,
    messages: owned.map(({ message }) => message),
    retry: deps.retry,
    isOverdue,
    onFailure: (problem, entries) => {
      deps.metrics.addMetric('SendFailures', MetricUnit.Count, entries);
      deps.logger.warn('Messages were not taken', { queueUrl, entries, problem });
    },
  });
  for (const [i, { messageId }] of owned.entries()) if (untaken.has(i)) failed.add(messageId);
  return owned.length - untaken.size;
}
