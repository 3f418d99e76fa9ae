import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { type Clock, UsherError } from '@usher/limiter-core';
import { failedIdsOf } from './poll-answer.ts';
import { type LambdaSqsEvent, toSqsEvent } from './poll-event.ts';

/** The part of Lambda's context that makes sense outside Lambda. */
interface LambdaContext {
  readonly callbackWaitsForEmptyEventLoop: boolean;
  readonly functionName: string;
  readonly functionVersion: string;
  readonly invokedFunctionArn: string;
  readonly memoryLimitInMB: string;
  readonly awsRequestId: string;
  readonly logGroupName: string;
  readonly logStreamName: string;
  getRemainingTimeInMillis(): number;
}

/** A handler in Lambda's shape. It may answer `{batchItemFailures: [{itemIdentifier: <messageId>}]}`. */
export type SqsBatchHandler = (event: LambdaSqsEvent, context: LambdaContext) => Promise<unknown>;

export interface PollOptions {
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly handler: SqsBatchHandler;
  /** Messages an invocation gets at most, 1–10. */
  readonly batchSize: number;
  /** Invocations at once. A FIFO group is never in two of them: the queue locks it. */
  readonly concurrency: number;
  readonly clock: Clock;
  /** The longest that an invocation may take. */
  readonly invocationTimeoutMs: number;
  /** Told of what failed and is tried again: a poll, an invocation, a delete. */
  readonly onError: (error: unknown) => void;
  /** Seconds until failed messages come back. @default the rest of their visibility timeout, as with Lambda */
  readonly retryAfterSeconds?: number;
  /** The pause after a poll that failed. @default 1000 */
  readonly pollErrorDelayMs?: number;
  /** The function's name in the context. @default "local" */
  readonly functionName?: string;
}

export interface Poller {
  /** Stops polling and resolves when the invocations under way have ended and their messages are deleted. */
  close(): Promise<void>;
}

/** The handler took longer than its invocation may; Lambda would have ended it, and counts the batch as failed. */
export class InvocationTimedOutError extends UsherError {
  override readonly name = 'InvocationTimedOutError';
}

/** SQS kept messages that were to be deleted; they will be delivered again. */
export class DeleteRefusedError extends UsherError {
  override readonly name = 'DeleteRefusedError';
}

/** A long poll: the longest that SQS allows, as Lambda's pollers ask for. */
const longestWaitSeconds = 20;

/**
 * Polls a queue as Lambda's event source does: long polls, invokes the handler with each batch, deletes what succeeded.
 *
 * A failed message is left to its visibility timeout, as Lambda leaves it: the managed role of an SQS function may
 * receive and delete, not change visibility. `retryAfterSeconds` shortens that for a stack someone is watching. A handler
 * that throws, times out or answers nonsense fails its whole batch. Unlike Lambda, a timed-out handler cannot be ended:
 * it is left to run and its answer ignored.
 */
export function pollQueue(options: PollOptions): Poller {
  if (!Number.isInteger(options.batchSize) || options.batchSize < 1 || options.batchSize > 10) {
    throw new RangeError(`batchSize must be a whole number from 1 to 10, not ${options.batchSize}.`);
  }
  if (!Number.isInteger(options.concurrency) || options.concurrency < 1) {
    throw new RangeError(`concurrency must be a whole number of at least 1, not ${options.concurrency}.`);
  }
  const closing = new AbortController();
  const lanes = Array.from({ length: options.concurrency }, () => pollUntil(options, closing.signal));
  return {
    close: async () => {
      closing.abort();
      await Promise.all(lanes);
    },
  };
}

async function pollUntil(options: PollOptions, closing: AbortSignal): Promise<void> {
  while (!closing.aborted) {
    try {
      const messages = await receive(options, closing);
      if (messages.length > 0) await processBatch(options, messages);
    } catch (error) {
      if (closing.aborted) return;
      options.onError(error);
      // Aborted by close: the loop's condition ends it.
      await delay(options.pollErrorDelayMs ?? 1000, undefined, { signal: closing }).catch(() => {});
    }
  }
}

async function receive(options: PollOptions, closing: AbortSignal): Promise<readonly Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: options.queueUrl,
    MaxNumberOfMessages: options.batchSize,
    WaitTimeSeconds: longestWaitSeconds,
    MessageSystemAttributeNames: ['All'],
    MessageAttributeNames: ['All'],
  });
  const { Messages } = await options.sqs.send(command, { abortSignal: closing });
  return Messages ?? [];
}

async function processBatch(options: PollOptions, messages: readonly Message[]): Promise<void> {
  const failed = await failuresOf(options, messages);
  const succeeded = messages.filter(({ MessageId = '' }) => !failed.has(MessageId));
  const kept = messages.filter(({ MessageId = '' }) => failed.has(MessageId));
  // Both are tried even if one fails: neither may keep the other's messages from their way.
  const results = await Promise.allSettled([deleteAll(options, succeeded), retrySoon(options, kept)]);
  for (const result of results) if (result.status === 'rejected') options.onError(result.reason);
}

/** The ids that failed: those the handler names, or all of them. */
async function failuresOf(options: PollOptions, messages: readonly Message[]): Promise<ReadonlySet<string>> {
  const ids = messages.map(({ MessageId = '' }) => MessageId);
  try {
    return failedIdsOf(await invoke(options, messages), ids);
  } catch (error) {
    options.onError(error);
    return new Set(ids);
  }
}

async function invoke(options: PollOptions, messages: readonly Message[]): Promise<unknown> {
  const { clock, invocationTimeoutMs: timeoutMs } = options;
  const context = toContext(options.functionName ?? 'local', clock() + timeoutMs, clock);
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new InvocationTimedOutError(`The handler did not answer within ${timeoutMs} ms.`)),
    timeoutMs,
  );
  try {
    return await Promise.race([options.handler(toSqsEvent(messages, options.queueArn), context), timedOut]);
  } finally {
    clearTimeout(timer);
  }
}

function toContext(functionName: string, deadlineMs: number, clock: Clock): LambdaContext {
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:eu-central-1:000000000000:function:${functionName}`,
    memoryLimitInMB: '512',
    awsRequestId: randomUUID(),
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    getRemainingTimeInMillis: () => Math.max(0, deadlineMs - clock()),
  };
}

async function deleteAll({ sqs, queueUrl }: PollOptions, messages: readonly Message[]): Promise<void> {
  if (messages.length === 0) return;
  const Entries = messages.map(({ ReceiptHandle }, i) => ({ Id: String(i), ReceiptHandle }));
  const { Failed = [] } = await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
  if (Failed.length > 0) {
    const reasons = Failed.map(({ Id, Code, Message }) => `${messages[Number(Id)]?.MessageId}: ${Code} ${Message}`);
    throw new DeleteRefusedError(`${Failed.length} messages were not deleted: ${reasons.join('; ')}`);
  }
}

/** All of the batch in one call, so that a FIFO group comes back whole and in order. Best effort: a refusal only waits. */
async function retrySoon(
  { sqs, queueUrl, retryAfterSeconds }: PollOptions,
  messages: readonly Message[],
): Promise<void> {
  if (messages.length === 0 || retryAfterSeconds === undefined) return;
  const Entries = messages.map(({ ReceiptHandle }, i) => ({
    Id: String(i),
    ReceiptHandle,
    VisibilityTimeout: retryAfterSeconds,
  }));
  await sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: queueUrl, Entries }));
}
