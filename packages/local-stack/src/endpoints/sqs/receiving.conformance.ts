import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import { bodies, codeOf, type SqsUnderTest } from './testing/sqs-under-test.ts';

/** Receives SQS refuses, all with InvalidParameterValue. */
const refusedReceives: Readonly<Record<string, Partial<ReceiveMessageCommandInput>>> = {
  'a receive of 11 messages': { MaxNumberOfMessages: 11 },
  'a receive of no messages': { MaxNumberOfMessages: 0 },
  'a wait of 21 seconds': { WaitTimeSeconds: 21 },
  'a visibility timeout of 43,201 seconds': { VisibilityTimeout: 43_201 },
};

/** Receives: visibility, long polls, receipt handles and dead letters. */
export function describeReceiving(sqs: SqsUnderTest): void {
  describe('receiving', () => {
    for (const [what, input] of Object.entries(refusedReceives)) {
      const accepted = sqs.features.accepts.includes(what);
      test(`${accepted ? 'accepts, unlike SQS,' : 'refuses'} ${what}`, async () => {
        const QueueUrl = await sqs.makeQueue(false);
        await sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'ends a poll at once' }));
        const call = sqs.client.send(new ReceiveMessageCommand({ QueueUrl, ...input }));
        expect(await codeOf(call)).toMatch(accepted ? /^accepted$/ : /InvalidParameterValue/);
      });
    }

    test('hides a received message, and shows it again with a higher count when its visibility is set to 0', async () => {
      const QueueUrl = await sqs.makeQueue(false);
      await sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'a' }));
      const [first] = await sqs.receive(QueueUrl);
      expect(await sqs.receive(QueueUrl)).toEqual([]);
      await sqs.client.send(
        new ChangeMessageVisibilityCommand({
          QueueUrl,
          ReceiptHandle: first?.ReceiptHandle,
          VisibilityTimeout: 0,
        }),
      );
      const [second] = await sqs.receive(QueueUrl);
      expect(second?.MessageId).toBe(first?.MessageId);
      expect(second?.Attributes).toMatchObject({
        ApproximateReceiveCount: '2',
        SentTimestamp: first?.Attributes?.SentTimestamp,
        ApproximateFirstReceiveTimestamp: first?.Attributes?.ApproximateFirstReceiveTimestamp,
      });
    });

    test('wakes a long poll when a message is sent', async () => {
      const QueueUrl = await sqs.makeQueue(false);
      const polled = sqs.client.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));
      await sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'wake up' }));
      expect(bodies((await polled).Messages ?? [])).toEqual(['wake up']);
    });

    test('refuses a receipt handle it never gave out', async () => {
      const QueueUrl = await sqs.makeQueue(false);
      const call = sqs.client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: 'no handle at all' }));
      expect(await codeOf(call)).toMatch(/ReceiptHandleIsInvalid/);
    });

    test('moves a message to the dead-letter queue when it would be handed out once too often', async () => {
      const dead = await sqs.makeQueue(false);
      const deadLetterTargetArn = (await sqs.attributesOf(dead)).QueueArn;
      const QueueUrl = await sqs.makeQueue(false, {
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 2 }),
      });
      await sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'poison' }));
      expect(await sqs.receive(QueueUrl, 10, 0)).toHaveLength(1);
      expect(await sqs.receive(QueueUrl, 10, 0)).toHaveLength(1);
      expect(await sqs.receive(QueueUrl, 10, 0)).toEqual([]);
      expect(bodies(await sqs.receive(dead))).toEqual(['poison']);
    });
  });
}
