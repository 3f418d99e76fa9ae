import { invalidParameter, missingParameter, sqsError } from './errors.ts';
import { attributeBytes, checkMessageAttributes } from './message-attributes.ts';
import type { Queue } from './queue-store.ts';
import { checkRange } from './ranges.ts';
import type { Outgoing } from './requests.ts';
import type { NewMessage } from './send.ts';
import { holdsForbiddenCharacter } from './text.ts';

/** MessageGroupId and MessageDeduplicationId: alphanumerics and punctuation (SendMessage, SQS API Reference). */
const idPattern = /^[\x21-\x7e]{1,128}$/;

/** A message's size as SQS counts it: UTF-8 bytes of the body and of the message attributes. */
export function messageBytes(message: Outgoing): number {
  return Buffer.byteLength(message.MessageBody, 'utf8') + attributeBytes(message.MessageAttributes ?? {});
}

/** The message to store, or the AwsError that SQS would answer. */
export function checkOutgoing(queue: Queue, message: Outgoing): NewMessage {
  checkContents(queue, message);
  const { MessageGroupId: groupId, MessageDeduplicationId: deduplicationId, DelaySeconds: delaySeconds } = message;
  if (groupId !== undefined && !idPattern.test(groupId)) {
    throw invalidParameter('MessageGroupId', groupId, idReason);
  }
  if (deduplicationId !== undefined && !idPattern.test(deduplicationId)) {
    throw invalidParameter('MessageDeduplicationId', deduplicationId, idReason);
  }
  if (delaySeconds !== undefined) checkRange('DelaySeconds', delaySeconds);
  if (queue.fifo) checkFifo(queue, message);
  else if (deduplicationId !== undefined) {
    throw invalidParameter('MessageDeduplicationId', deduplicationId, wrongQueueType);
  }
  return {
    body: message.MessageBody,
    attributes: message.MessageAttributes ?? {},
    delaySeconds: queue.fifo ? undefined : delaySeconds,
    groupId,
    deduplicationId,
  };
}

const idReason = 'It can only include alphanumeric and punctuation characters, 1 to 128 in length.';
const wrongQueueType = 'The request include parameter that is not valid for this queue type';

function checkContents(queue: Queue, message: Outgoing): void {
  if (message.MessageBody === '') throw missingParameter('MessageBody');
  const limit = queue.settings.maximumMessageBytes;
  if (messageBytes(message) > limit) {
    throw sqsError(
      'InvalidParameterValueException',
      `One or more parameters are invalid. Reason: Message must be shorter than ${limit} bytes.`,
    );
  }
  if (holdsForbiddenCharacter(message.MessageBody)) {
    throw sqsError(
      'InvalidMessageContents',
      'Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF',
    );
  }
  checkMessageAttributes(message.MessageAttributes ?? {});
}

function checkFifo(queue: Queue, message: Outgoing): void {
  if (message.MessageGroupId === undefined) throw missingParameter('MessageGroupId');
  if (message.MessageDeduplicationId === undefined && !queue.settings.contentBasedDeduplication) {
    throw sqsError(
      'InvalidParameterValueException',
      'The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly',
    );
  }
  // 0 is what a caller gets who sets no delay at all; anything else asks for what a FIFO queue cannot do.
  if (message.DelaySeconds) throw invalidParameter('DelaySeconds', message.DelaySeconds, wrongQueueType);
}
