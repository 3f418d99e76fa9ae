import { ChangeMessageVisibilityCommand, DeleteMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import { bodies, codeOf, type SqsUnderTest } from './testing/sqs-under-test.ts';

/** FIFO queues: order within a group, deduplication, and dead letters that keep their group. */
export function describeFifoQueues(sqs: SqsUnderTest): void {
  describe('FIFO queues', () => {
    const several = sqs.features.groupMessagesPerReceive === 'up to ten';

    test(`hands out ${sqs.features.groupMessagesPerReceive} of a group in one receive, in order, and locks the group`, async () => {
      const QueueUrl = await sqs.makeQueue(true);
      await sqs.sendFifo(QueueUrl, 'a-1', 'a-2', 'a-3');
      const first = await sqs.receive(QueueUrl);
      expect(bodies(first)).toEqual(several ? ['a-1', 'a-2', 'a-3'] : ['a-1']);
      await sqs.sendFifo(QueueUrl, 'a-4');
      expect(await sqs.receive(QueueUrl)).toEqual([]);
      for (const { ReceiptHandle } of first)
        await sqs.client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      expect(bodies(await sqs.receive(QueueUrl))).toEqual([several ? 'a-4' : 'a-2']);
    });

    test('goes on to other groups while one is locked', async () => {
      const QueueUrl = await sqs.makeQueue(true);
      await sqs.sendFifo(QueueUrl, 'a-1', 'b-1', 'a-2', 'b-2');
      const first = await sqs.receive(QueueUrl, 1);
      expect(bodies(first)).toEqual(['a-1']);
      const others = await sqs.receive(QueueUrl);
      expect(bodies(others)).toEqual(several ? ['b-1', 'b-2'] : ['b-1']);
    });

    test('keeps a group in order when a message of it becomes visible again', async () => {
      const QueueUrl = await sqs.makeQueue(true);
      await sqs.sendFifo(QueueUrl, 'a-1', 'a-2');
      const [first] = await sqs.receive(QueueUrl, 1);
      await sqs.client.send(
        new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: first?.ReceiptHandle, VisibilityTimeout: 0 }),
      );
      const again = await sqs.receive(QueueUrl);
      expect(bodies(again)).toEqual(several ? ['a-1', 'a-2'] : ['a-1']);
      expect(again[0]?.Attributes?.ApproximateReceiveCount).toBe('2');
    });

    test('takes a message once for a deduplication id, also after it was deleted', async () => {
      const QueueUrl = await sqs.makeQueue(true);
      const message = { QueueUrl, MessageBody: 'once', MessageGroupId: 'g', MessageDeduplicationId: 'same' };
      const first = await sqs.client.send(new SendMessageCommand(message));
      const [received] = await sqs.receive(QueueUrl);
      await sqs.client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: received?.ReceiptHandle }));
      const repeat = await sqs.client.send(new SendMessageCommand(message));
      expect(repeat.MessageId).toBe(first.MessageId);
      expect(await sqs.receive(QueueUrl)).toEqual([]);
    });

    test('deduplicates by content where the queue says so', async () => {
      const QueueUrl = await sqs.makeQueue(true, { ContentBasedDeduplication: 'true' });
      for (const MessageBody of ['x', 'x', 'y']) {
        await sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId: MessageBody }));
      }
      expect(bodies(await sqs.receive(QueueUrl))).toEqual(['x', 'y']);
    });

    test('keeps the groups apart where deduplication is scoped to them', async () => {
      const QueueUrl = await sqs.makeQueue(true, {
        DeduplicationScope: 'messageGroup',
        FifoThroughputLimit: 'perMessageGroupId',
      });
      for (const MessageGroupId of ['g', 'h', 'g']) {
        await sqs.client.send(
          new SendMessageCommand({
            QueueUrl,
            MessageBody: MessageGroupId,
            MessageGroupId,
            MessageDeduplicationId: 'd',
          }),
        );
      }
      expect(bodies(await sqs.receive(QueueUrl))).toEqual(['g', 'h']);
    });

    test('numbers messages in growing order', async () => {
      const QueueUrl = await sqs.makeQueue(true);
      await sqs.sendFifo(QueueUrl, 'a-1', 'b-1');
      const numbers = (await sqs.receive(QueueUrl)).map(({ Attributes }) => Attributes?.SequenceNumber ?? '');
      expect(numbers.every((number) => /^\d{20}$/.test(number))).toBe(true);
      expect(numbers).toEqual([...new Set(numbers)].sort());
    });

    test('refuses to delete by the handle of an earlier delivery', async () => {
      const QueueUrl = await sqs.makeQueue(true);
      await sqs.sendFifo(QueueUrl, 'a-1');
      const [first] = await sqs.receive(QueueUrl, 10, 0);
      const [second] = await sqs.receive(QueueUrl);
      expect(second?.MessageId).toBe(first?.MessageId);
      const call = sqs.client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: first?.ReceiptHandle }));
      expect(await codeOf(call)).toMatch(/InvalidParameterValue|ReceiptHandleIsInvalid/);
      expect((await sqs.attributesOf(QueueUrl)).ApproximateNumberOfMessagesNotVisible).toBe('1');
    });

    test('moves a poisoned message to the FIFO dead-letter queue and sets its group free', async () => {
      const dead = await sqs.makeQueue(true);
      const deadLetterTargetArn = (await sqs.attributesOf(dead)).QueueArn;
      const QueueUrl = await sqs.makeQueue(true, {
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 1 }),
      });
      await sqs.sendFifo(QueueUrl, 'a-1', 'a-2');
      expect(bodies(await sqs.receive(QueueUrl, 1, 0))).toEqual(['a-1']);
      expect(bodies(await sqs.receive(QueueUrl, 1))).toEqual(['a-2']);
      const [poisoned] = await sqs.receive(dead);
      expect(poisoned?.Body).toBe('a-1');
      expect(poisoned?.Attributes?.MessageGroupId).toBe('a');
    });
  });
}
