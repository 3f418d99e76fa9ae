import { type } from 'arktype';
import { MessageAttributes } from './message-attributes.ts';

/** The requests of the operations served, as the SDK sends them. Fields not named here have no effect. */

const Attributes = type('Record<string, string>');

export const CreateQueueRequest = type({ QueueName: 'string', 'Attributes?': Attributes });
export const ListQueuesRequest = type({ 'QueueNamePrefix?': 'string' });
export const QueueNameRequest = type({ QueueName: 'string' });
export const QueueRequest = type({ QueueUrl: 'string' });
export const GetQueueAttributesRequest = QueueRequest.and({ 'AttributeNames?': 'string[]' });
export const SetQueueAttributesRequest = QueueRequest.and({ Attributes });

const Outgoing = type({
  MessageBody: 'string',
  'DelaySeconds?': 'number.integer',
  'MessageGroupId?': 'string',
  'MessageDeduplicationId?': 'string',
  'MessageAttributes?': MessageAttributes,
});
export type Outgoing = typeof Outgoing.infer;
export const SendMessageRequest = QueueRequest.and(Outgoing);

export const ReceiveMessageRequest = QueueRequest.and({
  'MaxNumberOfMessages?': 'number.integer',
  'VisibilityTimeout?': 'number.integer',
  'WaitTimeSeconds?': 'number.integer',
  'AttributeNames?': 'string[]',
  'MessageSystemAttributeNames?': 'string[]',
  'MessageAttributeNames?': 'string[]',
});
export type ReceiveMessageRequest = typeof ReceiveMessageRequest.infer;

const Handle = type({ ReceiptHandle: 'string' });
const Visibility = Handle.and({ VisibilityTimeout: 'number.integer' });
export const DeleteMessageRequest = QueueRequest.and(Handle);
export const ChangeMessageVisibilityRequest = QueueRequest.and(Visibility);

const Entry = type({ Id: 'string' });
export const SendMessageBatchRequest = QueueRequest.and({ 'Entries?': Entry.and(Outgoing).array() });
export const DeleteMessageBatchRequest = QueueRequest.and({ 'Entries?': Entry.and(Handle).array() });
export const ChangeMessageVisibilityBatchRequest = QueueRequest.and({ 'Entries?': Entry.and(Visibility).array() });

export const StartMessageMoveTaskRequest = type({
  SourceArn: 'string',
  'DestinationArn?': 'string',
  'MaxNumberOfMessagesPerSecond?': 'number.integer',
});
export const ListMessageMoveTasksRequest = type({ SourceArn: 'string', 'MaxResults?': 'number.integer' });
export const CancelMessageMoveTaskRequest = type({ TaskHandle: 'string' });
