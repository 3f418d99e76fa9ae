import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { jitteredMs, type RetryEnvironment, UsherError } from '@usher/limiter-core/bulk';

/** One message to send. */
export interface OutgoingMessage {
  readonly body: string;
  /** FIFO: the group whose order holds. Standard queues: whom to be fair to. */
  readonly groupId?: string;
  /** The deduplication id; FIFO queues only. */
  readonly deduplicationId?: string;
  /** The delay in whole seconds, 0–900; standard queues only. */
  readonly delaySeconds?: number;
}

export interface SendAllOptions {
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  readonly messages: readonly OutgoingMessage[];
  readonly retry: RetryEnvironment;
  /** The most calls for an entry that SQS does not take. @default 4 */
  readonly maxAttempts?: number;
  /**
   * True where order matters: nothing is sent after an entry that was given up. (What stood behind it in the same call
   * may have been taken already; SQS decides entry by entry.) @default false
   */
  readonly ordered?: boolean;
  /** True once no time is left for another call. @default never */
  readonly isOverdue?: () => boolean;
  /**
   * Called for each call that failed or left entries behind, with its error ({@link NotTakenError} where the call itself
   * went through) and the indexes of the messages that were not taken.
   */
  readonly onFailure?: (problem: unknown, untaken: readonly number[]) => void;
}

/** A service answered, but not every entry of the call was taken; the message names each code and how often it came. */
export class NotTakenError extends UsherError {
  override readonly name = 'NotTakenError';
  /** @param codes of the entries that were not taken, one each; undefined where the answer did not name the entry */
  constructor(codes: readonly (string | undefined)[]) {
    const counts = Map.groupBy(codes, (code) => code ?? 'not in the answer');
    super([...counts].map(([code, { length }]) => `${code} (${length})`).join(', '));
  }
}

/** SQS's bounds of one SendMessageBatch (API reference; 1 MiB since August 2025, in bytes, all bodies together). */
export const maxBatchEntries = 10;
export const maxBatchBytes = 1_048_576;

/**
 * Sends messages in as few calls as SQS allows, one call after another, and accounts for every entry: one that the
 * answer names as failed, or does not name at all, is sent again until the attempts run out.
 *
 * @returns the indexes of the messages that SQS did not take; empty where all went well
 */
export async function sendAll(options: SendAllOptions): Promise<ReadonlySet<number>> {
  const { messages, ordered = false } = options;
  const untaken = new Set<number>();
  for (const call of cut(messages)) {
    const givenUp = ordered && untaken.size > 0 ? call : await sendCall(call, options);
    for (const index of givenUp) untaken.add(index);
  }
  return untaken;
}

/** Cuts the list into calls by count and by bytes. */
function* cut(messages: readonly OutgoingMessage[]): Generator<number[]> {
  let call: number[] = [];
  let bytes = 0;
  for (const [index, { body }] of messages.entries()) {
    const size = Buffer.byteLength(body);
    if (call.length === maxBatchEntries || (call.length > 0 && bytes + size > maxBatchBytes)) {
      yield call;
      call = [];
      bytes = 0;
    }
    call.push(index);
    bytes += size;
  }
  if (call.length > 0) yield call;
}

async function sendCall(call: readonly number[], options: SendAllOptions): Promise<readonly number[]> {
  const { retry, maxAttempts = 4, isOverdue = () => false, onFailure } = options;
  const refused: number[] = [];
  let pending = call;
  for (let attempt = 1; ; attempt++) {
    if (isOverdue()) return [...refused, ...pending];
    try {
      const { retryable, final, codes } = await sendOnce(pending, options);
      refused.push(...final);
      pending = retryable;
      if (codes.length > 0) onFailure?.(new NotTakenError(codes), [...retryable, ...final]);
    } catch (error) {
      onFailure?.(error, pending);
    }
    if (pending.length === 0 || attempt >= maxAttempts) return [...refused, ...pending];
    await retry.sleep(jitteredMs(attempt, retry.random));
  }
}

async function sendOnce(
  call: readonly number[],
  { sqs, queueUrl, messages }: SendAllOptions,
): Promise<{ retryable: number[]; final: number[]; codes: (string | undefined)[] }> {
  const answer = await sqs.send(
    new SendMessageBatchCommand({
      QueueUrl: queueUrl,
      Entries: call.flatMap((index) => {
        const message = messages[index];
        return message === undefined
          ? []
          : [
              {
                Id: String(index),
                MessageBody: message.body,
                MessageGroupId: message.groupId,
                MessageDeduplicationId: message.deduplicationId,
                DelaySeconds: message.delaySeconds,
              },
            ];
      }),
    }),
  );
  const taken = new Set(answer.Successful?.map(({ Id }) => Id));
  const codeOf = new Map(answer.Failed?.map(({ Id, Code }) => [Id, Code]));
  const final = new Set(answer.Failed?.filter(({ SenderFault }) => SenderFault).map(({ Id }) => Id));
  const left = call.filter((index) => !taken.has(String(index)));
  return {
    codes: left.map((index) => codeOf.get(String(index))),
    retryable: left.filter((index) => !final.has(String(index))),
    final: left.filter((index) => final.has(String(index))),
  };
}
