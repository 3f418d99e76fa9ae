import { errorFields } from '@usher/service';
import { type OutgoingMessage, sendAll } from '@usher/sqs-batch';
import type { SQSBatchResponse } from 'aws-lambda';
import type { Deadline, WorkerDependencies } from './dependencies.ts';
import { workerMetrics } from './metrics.ts';

/** One invocation of a handler: what it works with, its deadline, and which messages have to come again. */
export interface Invocation {
  readonly deps: WorkerDependencies;
  /** True once too little time is left to begin another call. */
  readonly isOverdue: () => boolean;
  /** The messageIds of records that something failed for. */
  readonly failed: Set<string>;
  /** Of the failed ones, those that failed by themselves and not by a service: what was thrown, by messageId. */
  readonly broken: Map<string, unknown>;
}

export function beginInvocation(deps: WorkerDependencies, deadline: Deadline): Invocation {
  const isOverdue = (): boolean => deadline.getRemainingTimeInMillis() < deps.config.deadlineMarginMs;
  return { deps, isOverdue, failed: new Set(), broken: new Map() };
}

/** On whose behalf something is done: the record comes again if it fails. */
export interface Owner {
  readonly messageId: string;
  /** Where it is known. */
  readonly accountId?: string | undefined;
}

/**
 * Does for some records of one account what asks no service. Where it throws, they have failed by themselves, and no
 * other record has.
 *
 * @returns what was computed, in a list; an empty one where it failed
 */
export function computeFor<T>(owners: readonly Owner[], { deps, failed, broken }: Invocation, compute: () => T): T[] {
  try {
    return [compute()];
  } catch (error) {
    for (const { messageId, accountId } of owners) {
      failed.add(messageId);
      broken.set(messageId, error);
      deps.log.error('A message could not be processed', { accountId, messageId, ...errorFields(error) });
    }
    return [];
  }
}

/** Logs which messages of which accounts come again, and answers it in Lambda's shape. */
export function handBack(
  again: ReadonlySet<string>,
  records: readonly Owner[],
  { log }: WorkerDependencies,
): SQSBatchResponse {
  const failed = records.filter(({ messageId }) => again.has(messageId));
  for (const [accountId, own] of Map.groupBy(failed, (owner) => owner.accountId)) {
    log.warn('Messages are handed back', { accountId, messageIds: own.map(({ messageId }) => messageId) });
  }
  return { batchItemFailures: [...again].map((itemIdentifier) => ({ itemIdentifier })) };
}

/** A message to send on behalf of a record, which comes again if SQS does not take it. */
export interface OwnedMessage extends Owner {
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
    onFailure: (problem, indexes) => {
      deps.meter.count(workerMetrics.sendFailures, indexes.length);
      for (const [accountId, { length: entries }] of Map.groupBy(indexes, (index) => owned[index]?.accountId)) {
        deps.log.warn('Messages were not taken', { accountId, queueUrl, entries, ...errorFields(problem) });
      }
    },
  });
  for (const [i, { messageId }] of owned.entries()) if (untaken.has(i)) failed.add(messageId);
  return owned.length - untaken.size;
}
