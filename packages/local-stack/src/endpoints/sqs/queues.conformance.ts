import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueUrlCommand,
  PurgeQueueCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import { codeOf, type SqsUnderTest } from './testing/sqs-under-test.ts';

/** Queues: made, described, purged and deleted. */
export function describeQueues(sqs: SqsUnderTest): void {
  describe('queues', () => {
    test('answers the same queue when it is created again with the same attributes', async () => {
      const url = await sqs.makeQueue(false, { VisibilityTimeout: '45' });
      const QueueName = url.slice(url.lastIndexOf('/') + 1);
      const again = await sqs.client.send(
        new CreateQueueCommand({ QueueName, Attributes: { VisibilityTimeout: '45' } }),
      );
      expect(again.QueueUrl).toBe(url);
      expect((await sqs.client.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl).toBe(url);
    });

    test('refuses to create a queue again with another attribute value', async () => {
      const url = await sqs.makeQueue(false, { VisibilityTimeout: '45' });
      const QueueName = url.slice(url.lastIndexOf('/') + 1);
      const call = sqs.client.send(new CreateQueueCommand({ QueueName, Attributes: { VisibilityTimeout: '46' } }));
      expect(await codeOf(call)).toMatch(/QueueNameExists|QueueAlreadyExists/);
    });

    test('names the queue in its ARN and counts what is visible, in flight and delayed', async () => {
      const QueueUrl = await sqs.makeQueue(false);
      await sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'a' }));
      await sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'b' }));
      await sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'later', DelaySeconds: 900 }));
      expect(await sqs.receive(QueueUrl, 1)).toHaveLength(1);
      const attributes = await sqs.attributesOf(QueueUrl);
      expect(attributes.QueueArn).toMatch(new RegExp(`^arn:aws:sqs:[^:]+:\\d{12}:${QueueUrl.split('/').pop()}$`));
      expect(attributes).toMatchObject({
        ApproximateNumberOfMessages: '1',
        ApproximateNumberOfMessagesNotVisible: '1',
        ApproximateNumberOfMessagesDelayed: '1',
      });
    });

    test('forgets a deleted queue', async () => {
      const QueueUrl = await sqs.makeQueue(false);
      await sqs.client.send(new DeleteQueueCommand({ QueueUrl }));
      const call = sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'a' }));
      expect(await codeOf(call)).toMatch(/QueueDoesNotExist|NonExistentQueue/);
    });

    test('empties a purged queue', async () => {
      const QueueUrl = await sqs.makeQueue(false);
      await sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'a' }));
      await sqs.client.send(new PurgeQueueCommand({ QueueUrl }));
      expect(await sqs.receive(QueueUrl)).toEqual([]);
    });
  });
}
