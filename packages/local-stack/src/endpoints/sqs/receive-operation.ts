import type { Operation } from '../aws-json-server.ts';
import { validated } from '../operation.ts';
import { attributesMd5, selectAttributes } from './message-attributes.ts';
import type { MessageOperationsPorts } from './message-operations.ts';
import { findQueue, invalidRequest } from './queue-operations.ts';
import type { Queue } from './queue-store.ts';
import { checkRange } from './ranges.ts';
import { toReceiptHandle } from './receipt-handle.ts';
import type { ReceivedMessage, ReceiveOptions } from './receive.ts';
import { ReceiveMessageRequest } from './requests.ts';
import { toSequenceNumber } from './send.ts';
import { md5 } from './text.ts';

/** The sender of every message: SQS answers an IAM principal's id, and here there is one principal only. */
const senderId = 'AIDAUSHERLOCALSTACK00';

/**
 * ReceiveMessage with long polling. The patience of a poll runs on real time, since a caller waits in it; what is
 * visible runs on the given clock. A poll whose client has gone takes nothing.
 */
export function createReceiveOperation({ queues, messages, waiters, clock }: MessageOperationsPorts): Operation {
  function receive(queueName: string, options: ReceiveOptions): readonly ReceivedMessage[] {
    // Looked up for each attempt: attributes may change, or the queue go, while a poll waits.
    const { messages: received, redrivenTo } = messages.receive(findQueue(queues, queueName), options);
    if (redrivenTo !== undefined) waiters.notify(redrivenTo);
    return received;
  }

  async function poll(
    queue: Queue,
    options: ReceiveOptions,
    patience: { waitSeconds: number; signal: AbortSignal },
  ): Promise<readonly ReceivedMessage[]> {
    let patient = patience.waitSeconds > 0;
    const timer = setTimeout(() => {
      patient = false;
      waiters.notify(queue.name);
    }, patience.waitSeconds * 1000);
    try {
      while (!patience.signal.aborted) {
        const received = receive(queue.name, options);
        if (received.length > 0 || !patient) return received;
        const nextMs = messages.nextVisibleAtMs(queue);
        const waitMs = Math.min(maxWaitMs, nextMs === undefined ? maxWaitMs : nextMs - clock());
        await waiters.wait(queue.name, Math.max(1, waitMs), patience.signal);
      }
      return [];
    } finally {
      clearTimeout(timer);
    }
  }

  return validated(
    ReceiveMessageRequest,
    async (request, { signal }) => {
      const queue = findQueue(queues, request.QueueUrl);
      const options = {
        max: checkRange('MaxNumberOfMessages', request.MaxNumberOfMessages ?? 1),
        visibilityTimeoutSeconds: checkRange(
          'VisibilityTimeout',
          request.VisibilityTimeout ?? queue.settings.visibilityTimeoutSeconds,
        ),
      };
      const waitSeconds = checkRange('WaitTimeSeconds', request.WaitTimeSeconds ?? queue.settings.receiveWaitSeconds);
      const received = await poll(queue, options, { waitSeconds, signal });
      return received.length > 0 ? { Messages: received.map((message) => toAnswer(queue, message, request)) } : {};
    },
    invalidRequest,
  );
}

/** The longest WaitTimeSeconds; a poll that would wait longer is over before. */
const maxWaitMs = 20_000;

function toAnswer(queue: Queue, message: ReceivedMessage, request: ReceiveMessageRequest): object {
  const wanted = [...(request.AttributeNames ?? []), ...(request.MessageSystemAttributeNames ?? [])];
  const system = Object.entries(systemAttributes(queue, message)).filter(
    ([name, value]) => value !== undefined && (wanted.includes('All') || wanted.includes(name)),
  );
  const attributes = selectAttributes(message.attributes ?? {}, request.MessageAttributeNames ?? []);
  return {
    MessageId: message.message_id,
    ReceiptHandle: toReceiptHandle(queue.name, { id: message.id, receiveCount: message.receive_count }),
    MD5OfBody: md5(message.body),
    Body: message.body,
    ...(system.length > 0 && { Attributes: Object.fromEntries(system) }),
    ...(attributes && { MessageAttributes: attributes, MD5OfMessageAttributes: attributesMd5(attributes) }),
  };
}

function systemAttributes(queue: Queue, message: ReceivedMessage): Record<string, string | undefined> {
  return {
    SenderId: senderId,
    SentTimestamp: String(message.sent_at),
    ApproximateReceiveCount: String(message.receive_count),
    ApproximateFirstReceiveTimestamp: String(message.first_received_at),
    MessageGroupId: message.group_id ?? undefined,
    MessageDeduplicationId: message.deduplication_id ?? undefined,
    SequenceNumber: queue.fifo ? toSequenceNumber(message.id) : undefined,
    DeadLetterQueueSourceArn: message.source_arn ?? undefined,
  };
}
