import { errorFields } from '@usher/service';
import { type OutgoingMessage, sendAll } from '@usher/sqs-batch';
import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { workerMetrics } from './metrics.ts';
import type { Deadline, WorkerPorts } from './ports.ts';

/** One invocation of a handler: its ports, its deadline, and the messages that have to come again. */
export interface Invocation {
  readonly ports: WorkerPorts;
  /** True once too little time is left to begin another call. */
  readonly isOverdue: () => boolean;
  /** The messageIds of deliveries that something failed for. */
  readonly failed: Set<string>;
  /** Of the failed ones, those that failed by themselves and not by a service: the thrown error, by messageId. */
  readonly broken: Map<string, unknown>;
}

export function beginInvocation(ports: WorkerPorts, deadline: Deadline): Invocation {
  const isOverdue = (): boolean => deadline.getRemainingTimeInMillis() < ports.config.deadlineMarginMs;
  return { ports, isOverdue, failed: new Set(), broken: new Map() };
}

/** The delivery on whose behalf something is done; it comes again if that fails. */
export interface Owner {
  readonly delivery: Pick<SQSRecord, 'messageId'>;
  /** Absent where nothing names an account. */
  readonly accountId?: string | undefined;
}

/**
 * Does for some deliveries of one account what asks no service. Where it throws, they have failed by themselves, and no
 * other delivery has.
 *
 * @returns the computed value, in a list; an empty one where it failed
 */
export function computeFor<T>(owners: readonly Owner[], { ports, failed, broken }: Invocation, compute: () => T): T[] {
  try {
    return [compute()];
  } catch (error) {
    for (const { delivery, accountId } of owners) {
      const { messageId } = delivery;
      failed.add(messageId);
      broken.set(messageId, error);
      ports.log.error('A message could not be processed', { accountId, messageId, ...errorFields(error) });
    }
    return [];
  }
}

/** Logs by account which messages come again, and answers it in Lambda's shape. */
export function handBack(
  again: ReadonlySet<string>,
  owners: readonly Owner[],
  { log }: Pick<WorkerPorts, 'log'>,
): SQSBatchResponse {
  const failed = owners.filter(({ delivery }) => again.has(delivery.messageId));
  for (const [accountId, own] of Map.groupBy(failed, (owner) => owner.accountId)) {
    log.warn('Messages are handed back', { accountId, messageIds: own.map(({ delivery }) => delivery.messageId) });
  }
  return { batchItemFailures: [...again].map((itemIdentifier) => ({ itemIdentifier })) };
}

/** A message to send on behalf of a delivery, which comes again if SQS does not take it. */
export interface OwnedMessage extends Owner {
  readonly message: OutgoingMessage;
}

/**
 * Sends messages to a queue and marks the deliveries whose message was not taken as failed.
 *
 * @returns the number of messages that SQS took
 */
export async function sendOwned(
  queueUrl: string,
  owned: readonly OwnedMessage[],
  { ports, isOverdue, failed }: Invocation,
): Promise<number> {
  const untaken = await sendAll({
    sqs: ports.sqs,
    queueUrl,
    messages: owned.map(({ message }) => message),
    retry: ports.retry,
    isOverdue,
    onFailure: (problem, indexes) => {
      ports.meter.count(workerMetrics.sendFailures, indexes.length);
      for (const [accountId, { length: entries }] of Map.groupBy(indexes, (index) => owned[index]?.accountId)) {
        ports.log.warn('Messages were not taken', { accountId, queueUrl, entries, ...errorFields(problem) });
      }
    },
  });
  for (const [i, { delivery }] of owned.entries()) if (untaken.has(i)) failed.add(delivery.messageId);
  return owned.length - untaken.size;
}
