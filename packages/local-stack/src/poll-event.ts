import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';

/** An SQS record as Lambda hands it to a handler; the shape of `SQSRecord` in @types/aws-lambda. */
interface LambdaSqsRecord {
  messageId: string;
  receiptHandle: string;
  body: string;
  attributes: {
    ApproximateReceiveCount: string;
    SentTimestamp: string;
    SenderId: string;
    ApproximateFirstReceiveTimestamp: string;
    SequenceNumber?: string;
    MessageGroupId?: string;
    MessageDeduplicationId?: string;
    DeadLetterQueueSourceArn?: string;
  };
  messageAttributes: Record<string, LambdaMessageAttribute>;
  md5OfBody: string;
  md5OfMessageAttributes?: string;
  eventSource: string;
  eventSourceARN: string;
  awsRegion: string;
}

interface LambdaMessageAttribute {
  stringValue?: string;
  binaryValue?: string;
  stringListValues: string[];
  binaryListValues: string[];
  dataType: string;
}

export interface LambdaSqsEvent {
  Records: LambdaSqsRecord[];
}

/** The event for a batch, in the order received. */
export function toSqsEvent(messages: readonly Message[], queueArn: string): LambdaSqsEvent {
  return { Records: messages.map((message) => toRecord(message, queueArn)) };
}

function toRecord(message: Message, queueArn: string): LambdaSqsRecord {
  const { Attributes: system = {}, MessageAttributes: attributes = {} } = message;
  const { SequenceNumber, MessageGroupId, MessageDeduplicationId, DeadLetterQueueSourceArn } = system;
  return {
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: {
      ApproximateReceiveCount: system.ApproximateReceiveCount ?? '1',
      SentTimestamp: system.SentTimestamp ?? '',
      SenderId: system.SenderId ?? '',
      ApproximateFirstReceiveTimestamp: system.ApproximateFirstReceiveTimestamp ?? '',
      ...(SequenceNumber !== undefined && { SequenceNumber }),
      ...(MessageGroupId !== undefined && { MessageGroupId }),
      ...(MessageDeduplicationId !== undefined && { MessageDeduplicationId }),
      ...(DeadLetterQueueSourceArn !== undefined && { DeadLetterQueueSourceArn }),
    },
    messageAttributes: Object.fromEntries(
      Object.entries(attributes).map(([name, attribute]) => [name, toAttribute(attribute)]),
    ),
    md5OfBody: message.MD5OfBody ?? '',
    ...(message.MD5OfMessageAttributes !== undefined && { md5OfMessageAttributes: message.MD5OfMessageAttributes }),
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(':')[3] ?? '',
  };
}

function toAttribute(attribute: MessageAttributeValue): LambdaMessageAttribute {
  const { StringValue: stringValue, BinaryValue: binary } = attribute;
  return {
    ...(stringValue !== undefined && { stringValue }),
    ...(binary !== undefined && { binaryValue: Buffer.from(binary).toString('base64') }),
    stringListValues: [],
    binaryListValues: [],
    dataType: attribute.DataType ?? 'String',
  };
}
