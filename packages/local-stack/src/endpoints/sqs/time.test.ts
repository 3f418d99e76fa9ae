import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { type VirtualClock, virtualClock } from '@usher/limiter-core';
import { localClientConfig } from '@usher/loopback';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Endpoints, startEndpoints } from '../start-endpoints.ts';

const secondMs = 1000;
const dayMs = 24 * 3600 * secondMs;

describe('the SQS endpoint over time', () => {
  let clock: VirtualClock;
  let endpoints: Endpoints;
  let sqs: SQSClient;

  beforeEach(async () => {
    clock = virtualClock('2026-11-29T10:00:00Z');
    endpoints = await startEndpoints({ clock });
    sqs = new SQSClient(localClientConfig(endpoints.sqsUrl));
  });
  afterEach(async () => {
    sqs.destroy();
    await endpoints.close();
  });

  async function makeQueue(name: string, attributes: Record<string, string> = {}): Promise<string> {
    const Attributes = { ...(name.endsWith('.fifo') && { FifoQueue: 'true' }), ...attributes };
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes }));
    return QueueUrl;
  }

  async function receive(QueueUrl: string, max = 10): Promise<Message[]> {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: max, MessageSystemAttributeNames: ['All'] }),
    );
    return Messages;
  }

  const bodies = async (QueueUrl: string): Promise<unknown[]> => (await receive(QueueUrl)).map(({ Body }) => Body);

  const sendFifo = (QueueUrl: string, body: string, deduplicationId = body) =>
    sqs.send(
      new SendMessageCommand({
        QueueUrl,
        MessageBody: body,
        MessageGroupId: 'g',
        MessageDeduplicationId: deduplicationId,
      }),
    );

  test('shows a message again when its visibility timeout ends, not a moment before', async () => {
    const QueueUrl = await makeQueue('q', { VisibilityTimeout: '30' });
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'a' }));
    await receive(QueueUrl);
    clock.advance(30 * secondMs - 1);
    expect(await bodies(QueueUrl)).toEqual([]);
    clock.advance(1);
    const [again] = await receive(QueueUrl);
    expect(again?.Attributes).toMatchObject({
      ApproximateReceiveCount: '2',
      ApproximateFirstReceiveTimestamp: String(clock() - 30 * secondMs),
    });
  });

  test('counts a changed visibility from the moment of the change', async () => {
    const QueueUrl = await makeQueue('q');
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'a' }));
    const [message] = await receive(QueueUrl);
    clock.advance(20 * secondMs);
    await sqs.send(
      new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle, VisibilityTimeout: 60 }),
    );
    clock.advance(59 * secondMs);
    expect(await bodies(QueueUrl)).toEqual([]);
    clock.advance(secondMs);
    expect(await bodies(QueueUrl)).toEqual(['a']);
  });

  test('keeps a group in order when the first message of it times out before the others', async () => {
    const QueueUrl = await makeQueue('q.fifo', { VisibilityTimeout: '30' });
    for (const body of ['1', '2', '3']) await sendFifo(QueueUrl, body);
    const [, second] = await receive(QueueUrl, 2);
    await sqs.send(
      new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: second?.ReceiptHandle, VisibilityTimeout: 60 }),
    );
    clock.advance(30 * secondMs);
    expect(await bodies(QueueUrl)).toEqual([]);
    clock.advance(30 * secondMs);
    expect(await bodies(QueueUrl)).toEqual(['1', '2', '3']);
  });

  test('delays a message by its own seconds, or by those of the queue', async () => {
    const QueueUrl = await makeQueue('q', { DelaySeconds: '10' });
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'queue delay' }));
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'own delay', DelaySeconds: 900 }));
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'none', DelaySeconds: 0 }));
    expect(await bodies(QueueUrl)).toEqual(['none']);
    clock.advance(10 * secondMs);
    expect(await bodies(QueueUrl)).toEqual(['queue delay']);
    clock.set(clock() + 890 * secondMs - 1);
    expect(await bodies(QueueUrl)).not.toContain('own delay');
    clock.advance(1);
    expect(await bodies(QueueUrl)).toContain('own delay');
  });

  test('lets no message overtake when the delay of a FIFO queue is lowered', async () => {
    const QueueUrl = await makeQueue('q.fifo', { DelaySeconds: '60' });
    await sendFifo(QueueUrl, '1');
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { DelaySeconds: '0' } }));
    await sendFifo(QueueUrl, '2');
    expect(await bodies(QueueUrl)).toEqual(['1', '2']);
  });

  test('remembers a deduplication id for five minutes', async () => {
    const QueueUrl = await makeQueue('q.fifo');
    const first = await sendFifo(QueueUrl, 'first', 'same');
    const [message] = await receive(QueueUrl);
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle }));
    clock.advance(300 * secondMs - 1);
    expect((await sendFifo(QueueUrl, 'repeat', 'same')).SequenceNumber).toBe(first.SequenceNumber);
    expect(await bodies(QueueUrl)).toEqual([]);
    clock.advance(1);
    await sendFifo(QueueUrl, 'new', 'same');
    expect(await bodies(QueueUrl)).toEqual(['new']);
  });

  test('drops a message when its retention ends', async () => {
    const QueueUrl = await makeQueue('q', { MessageRetentionPeriod: '60' });
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'a' }));
    clock.advance(60 * secondMs);
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] }),
    );
    expect(Attributes).toEqual({ ApproximateNumberOfMessages: '0' });
    expect(await bodies(QueueUrl)).toEqual([]);
  });

  test.each([
    { name: 'q', from: 'when it was first sent', left: [] },
    { name: 'q.fifo', from: 'when it was moved', left: ['a'] },
  ])("counts the retention of $name's dead letter from $from", async ({ name, left }) => {
    const dead = await makeQueue(`dead-${name}`, { MessageRetentionPeriod: String((4 * dayMs) / secondMs) });
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: dead, AttributeNames: ['QueueArn'] }),
    );
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: Attributes?.QueueArn, maxReceiveCount: 1 });
    const QueueUrl = await makeQueue(name, { RedrivePolicy });
    if (name === 'q') await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'a' }));
    else await sendFifo(QueueUrl, 'a');
    await receive(QueueUrl);
    clock.advance(3 * dayMs);
    expect(await bodies(QueueUrl)).toEqual([]);
    clock.advance(dayMs);
    expect(await bodies(dead)).toEqual(left);
  });

  test('takes a late delete on a standard queue until the message is handed out again', async () => {
    const QueueUrl = await makeQueue('q', { VisibilityTimeout: '30' });
    for (const body of ['a', 'b']) await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: body }));
    const [late, tooLate] = await receive(QueueUrl);
    clock.advance(31 * secondMs);
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: late?.ReceiptHandle }));
    expect(await bodies(QueueUrl)).toEqual(['b']);
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: tooLate?.ReceiptHandle }));
    clock.advance(31 * secondMs);
    expect(await bodies(QueueUrl)).toEqual(['b']);
  });

  test('refuses a late delete on a FIFO queue, for its group may have moved on', async () => {
    const QueueUrl = await makeQueue('q.fifo', { VisibilityTimeout: '30' });
    await sendFifo(QueueUrl, 'a');
    const [message] = await receive(QueueUrl);
    clock.advance(30 * secondMs);
    const call = sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle }));
    await expect(call).rejects.toThrow('The receipt handle has expired.');
    expect(await bodies(QueueUrl)).toEqual(['a']);
  });

  test('refuses to change the visibility of what is not in flight', async () => {
    const QueueUrl = await makeQueue('q', { VisibilityTimeout: '30' });
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'a' }));
    const [message] = await receive(QueueUrl);
    clock.advance(30 * secondMs);
    const call = sqs.send(
      new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle, VisibilityTimeout: 0 }),
    );
    await expect(call).rejects.toMatchObject({ name: 'MessageNotInflight' });
  });
});
