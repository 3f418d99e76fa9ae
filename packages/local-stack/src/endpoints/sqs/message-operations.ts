import type { Clock } from '@usher/limiter-core';
import type { Operation } from '../aws-json-server.ts';
import type { Database } from '../database.ts';
import { validated } from '../operation.ts';
import { checkBatch, runBatch } from './batch-request.ts';
import { sqsError } from './errors.ts';
import { attributesMd5 } from './message-attributes.ts';
import type { SqsMessageStore } from './message-store.ts';
import { findQueue, invalidRequest } from './queue-operations.ts';
import type { Queue, SqsQueueStore } from './queue-store.ts';
import { checkRange } from './ranges.ts';
import { createReceiveOperation } from './receive-operation.ts';
import {
  ChangeMessageVisibilityBatchRequest,
  ChangeMessageVisibilityRequest,
  DeleteMessageBatchRequest,
  DeleteMessageRequest,
  type Outgoing,
  SendMessageBatchRequest,
  SendMessageRequest,
} from './requests.ts';
import { checkOutgoing, messageBytes } from './send-checks.ts';
import { md5 } from './text.ts';
import type { Waiters } from './waiters.ts';

/** All messages of one SendMessageBatch together (SendMessageBatch, SQS API Reference). */
const maxBatchBytes = 1_048_576;

export interface MessageOperationsPorts {
  readonly database: Database;
  readonly queues: SqsQueueStore;
  readonly messages: SqsMessageStore;
  readonly waiters: Waiters;
  readonly clock: Clock;
}

export function messageOperations(ports: MessageOperationsPorts): Record<string, Operation> {
  const { database, queues, messages, waiters } = ports;

  function send(queue: Queue, outgoing: Outgoing): object {
    const { messageId, sequenceNumber } = messages.send(queue, checkOutgoing(queue, outgoing));
    const attributes = outgoing.MessageAttributes ?? {};
    return {
      MessageId: messageId,
      MD5OfMessageBody: md5(outgoing.MessageBody),
      ...(Object.keys(attributes).length > 0 && { MD5OfMessageAttributes: attributesMd5(attributes) }),
      ...(sequenceNumber !== undefined && { SequenceNumber: sequenceNumber }),
    };
  }

  function remove(queue: Queue, { ReceiptHandle }: { ReceiptHandle: string }): object {
    messages.delete(queue, ReceiptHandle);
    return {};
  }

  function changeVisibility(queue: Queue, change: { ReceiptHandle: string; VisibilityTimeout: number }): object {
    messages.changeVisibility(queue, change.ReceiptHandle, checkRange('VisibilityTimeout', change.VisibilityTimeout));
    return {};
  }

  /** One transaction for the whole call, and a word to those who wait: a delete too can set a FIFO group free. */
  function run<Result extends object>(queueUrl: string, work: (queue: Queue) => Result): Result {
    const queue = findQueue(queues, queueUrl);
    const result = database.transaction(() => work(queue));
    waiters.notify(queue.name);
    return result;
  }

  return {
    SendMessage: validated(SendMessageRequest, (r) => run(r.QueueUrl, (queue) => send(queue, r)), invalidRequest),
    SendMessageBatch: validated(
      SendMessageBatchRequest,
      (r) =>
        run(r.QueueUrl, (queue) => {
          const entries = checkBatch(r.Entries);
          checkBatchBytes(entries);
          return runBatch(entries, (entry) => send(queue, entry));
        }),
      invalidRequest,
    ),
    ReceiveMessage: createReceiveOperation(ports),
    DeleteMessage: validated(DeleteMessageRequest, (r) => run(r.QueueUrl, (queue) => remove(queue, r)), invalidRequest),
    DeleteMessageBatch: validated(
      DeleteMessageBatchRequest,
      (r) => run(r.QueueUrl, (queue) => runBatch(checkBatch(r.Entries), (entry) => remove(queue, entry))),
      invalidRequest,
    ),
    ChangeMessageVisibility: validated(
      ChangeMessageVisibilityRequest,
      (r) => run(r.QueueUrl, (queue) => changeVisibility(queue, r)),
      invalidRequest,
    ),
    ChangeMessageVisibilityBatch: validated(
      ChangeMessageVisibilityBatchRequest,
      (r) => run(r.QueueUrl, (queue) => runBatch(checkBatch(r.Entries), (entry) => changeVisibility(queue, entry))),
      invalidRequest,
    ),
  };
}

function checkBatchBytes(entries: readonly Outgoing[]): void {
  const bytes = entries.reduce((sum, entry) => sum + messageBytes(entry), 0);
  if (bytes > maxBatchBytes) {
    throw sqsError(
      'BatchRequestTooLong',
      `Batch requests cannot be longer than ${maxBatchBytes} bytes. You have sent ${bytes} bytes.`,
    );
  }
}
