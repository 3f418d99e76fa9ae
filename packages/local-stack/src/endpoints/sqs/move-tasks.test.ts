import {
  CancelMessageMoveTaskCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ListMessageMoveTasksCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { type VirtualClock, virtualClock } from '@usher/limiter-core';
import { localClientConfig } from '@usher/loopback';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Endpoints, startEndpoints } from '../start-endpoints.ts';

interface MadeQueue {
  readonly url: string;
  readonly arn: string;
}

describe.each([
  ['a standard queue', ''],
  ['a FIFO queue', '.fifo'],
])('the redrive of %s', (_, suffix) => {
  let clock: VirtualClock;
  let endpoints: Endpoints;
  let sqs: SQSClient;
  let source: MadeQueue;
  let dead: MadeQueue;

  beforeEach(async () => {
    clock = virtualClock('2026-11-29T10:00:00Z');
    endpoints = await startEndpoints({ clock });
    sqs = new SQSClient({ ...localClientConfig(endpoints.sqsUrl), maxAttempts: 1 });
    dead = await makeQueue('dead');
    source = await makeQueue('source', {
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.arn, maxReceiveCount: 1 }),
    });
  });
  afterEach(async () => {
    sqs.destroy();
    await endpoints.close();
  });

  async function makeQueue(name: string, attributes: Record<string, string> = {}): Promise<MadeQueue> {
    const Attributes = { ...(suffix === '.fifo' && { FifoQueue: 'true' }), ...attributes };
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: `${name}${suffix}`, Attributes }));
    const named = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
    return { url: QueueUrl, arn: (await sqs.send(named)).Attributes?.QueueArn ?? '' };
  }

  async function send(queue: MadeQueue, body: string): Promise<string | undefined> {
    const fifo = suffix === '.fifo' ? { MessageGroupId: 'g', MessageDeduplicationId: body } : {};
    return (await sqs.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody: body, ...fifo }))).MessageId;
  }

  async function receive(queue: MadeQueue): Promise<Message[]> {
    const asked = { QueueUrl: queue.url, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All' as const] };
    return (await sqs.send(new ReceiveMessageCommand(asked))).Messages ?? [];
  }

  const bodies = async (queue: MadeQueue) => (await receive(queue)).map(({ Body }) => Body);
  const waiting = async (queue: MadeQueue): Promise<string | undefined> => {
    const counted = { QueueUrl: queue.url, AttributeNames: ['ApproximateNumberOfMessages' as const] };
    return (await sqs.send(new GetQueueAttributesCommand(counted))).Attributes?.ApproximateNumberOfMessages;
  };

  /** Sends messages and lets them come once too often. */
  async function letDie(...names: string[]): Promise<void> {
    for (const name of names) await send(source, name);
    expect(await bodies(source)).toHaveLength(names.length);
    clock.advance(30_000);
    expect(await receive(source)).toEqual([]);
    expect(await waiting(dead)).toBe(String(names.length));
  }

  const start = (of: { SourceArn?: string; DestinationArn?: string; MaxNumberOfMessagesPerSecond?: number } = {}) =>
    sqs.send(new StartMessageMoveTaskCommand({ SourceArn: dead.arn, ...of }));
  const tasks = async () =>
    (await sqs.send(new ListMessageMoveTasksCommand({ SourceArn: dead.arn, MaxResults: 10 }))).Results;

  test('brings dead letters back to the queue they came from, as new messages in their order', async () => {
    await letDie('first', 'second');
    const [letter] = await receive(dead);
    clock.advance(3_600_000);
    await start();
    const done = { Status: 'COMPLETED', SourceArn: dead.arn, ApproximateNumberOfMessagesMoved: 2 };
    expect(await tasks()).toMatchObject([done]);
    const [first, second] = await receive(source);
    expect([first?.Body, second?.Body]).toEqual(['first', 'second']);
    expect(first?.MessageId).not.toBe(letter?.MessageId);
    expect(first?.Attributes).toMatchObject({ ApproximateReceiveCount: '1', SentTimestamp: String(clock()) });
    expect(await waiting(dead)).toBe('0');
  });

  test('moves them to another queue where one is named, no faster than it was told to', async () => {
    const other = await makeQueue('other');
    await letDie('1', '2', '3', '4', '5');
    const { TaskHandle } = await start({ DestinationArn: other.arn, MaxNumberOfMessagesPerSecond: 2 });
    const task = { Status: 'RUNNING', TaskHandle, DestinationArn: other.arn, MaxNumberOfMessagesPerSecond: 2 };
    expect(await tasks()).toMatchObject([
      { ...task, ApproximateNumberOfMessagesMoved: 2, ApproximateNumberOfMessagesToMove: 5 },
    ]);
    clock.advance(1000);
    expect(await tasks()).toMatchObject([{ ...task, ApproximateNumberOfMessagesMoved: 4 }]);
    clock.advance(1000);
    expect(await tasks()).toMatchObject([{ Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 5 }]);
    expect(await bodies(other)).toEqual(['1', '2', '3', '4', '5']);
  });

  test('stops where the task is cancelled', async () => {
    await letDie('1', '2', '3');
    const { TaskHandle } = await start({ MaxNumberOfMessagesPerSecond: 1 });
    const cancel = () => sqs.send(new CancelMessageMoveTaskCommand({ TaskHandle }));
    expect(await cancel()).toMatchObject({ ApproximateNumberOfMessagesMoved: 1 });
    clock.advance(60_000);
    expect(await tasks()).toMatchObject([{ Status: 'CANCELLED', ApproximateNumberOfMessagesMoved: 1 }]);
    expect(await waiting(dead)).toBe('2');
    await expect(cancel()).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  });

  test('leaves what another consumer has in its hands, and is done with the rest', async () => {
    await letDie('1', '2');
    await start({ MaxNumberOfMessagesPerSecond: 1 });
    const [held] = await receive(dead);
    clock.advance(1000);
    expect(await tasks()).toMatchObject([{ Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 1 }]);
    await sqs.send(new DeleteMessageCommand({ QueueUrl: dead.url, ReceiptHandle: held?.ReceiptHandle }));
    expect(await bodies(source)).toEqual(['1']);
  });

  test('fails at a message that was never dead, or whose queue is gone, and keeps it', async () => {
    await send(dead, 'stranger');
    await start();
    expect(await tasks()).toMatchObject([{ Status: 'FAILED', FailureReason: 'CouldNotDetermineMessageSource' }]);
    expect(await bodies(dead)).toEqual(['stranger']);
  });

  test('refuses a second task at a time, and a source that is no dead-letter queue', async () => {
    await letDie('1', '2');
    await start({ MaxNumberOfMessagesPerSecond: 1 });
    await expect(start()).rejects.toMatchObject({ name: 'UnsupportedOperation' });
    await expect(start({ SourceArn: source.arn })).rejects.toMatchObject({ name: 'UnsupportedOperation' });
    await expect(start({ SourceArn: `${dead.arn}x` })).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    await expect(start({ MaxNumberOfMessagesPerSecond: 501 })).rejects.toThrow('MaxNumberOfMessagesPerSecond');
    await sqs.send(new DeleteQueueCommand({ QueueUrl: source.url }));
    clock.advance(1000);
    expect(await tasks()).toMatchObject([{ Status: 'FAILED' }]);
  });
});
