import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  SendMessageBatchCommand,
} from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import { bodies, codeOf, mebibyte, type SqsUnderTest } from './testing/sqs-under-test.ts';

/** Batches: refused as a whole, or entry by entry. */
export function describeBatches(sqs: SqsUnderTest): void {
  describe('batches', () => {
    const entries = (count: number, body = 'b') =>
      Array.from({ length: count }, (_, i) => ({ Id: `e${i}`, MessageBody: body }));

    test('refuses a batch that is empty, too long, too big or has the same id twice', async () => {
      const QueueUrl = await sqs.makeQueue(false);
      const code = (Entries: { Id: string; MessageBody: string }[]): Promise<string> =>
        codeOf(sqs.client.send(new SendMessageBatchCommand({ QueueUrl, Entries })));
      expect(await code([])).toMatch(/EmptyBatchRequest/);
      expect(await code(entries(11))).toMatch(/TooManyEntriesInBatchRequest/);
      expect(await code(entries(2, 'a'.repeat(mebibyte / 2 + 1)))).toMatch(/BatchRequestTooLong/);
      expect(await code([...entries(1), ...entries(1)])).toMatch(/BatchEntryIdsNotDistinct/);
      expect(await sqs.receive(QueueUrl)).toEqual([]);
    });

    test('takes the good entries of a batch and names the bad one', async () => {
      const QueueUrl = await sqs.makeQueue(false);
      const { Successful, Failed } = await sqs.client.send(
        new SendMessageBatchCommand({
          QueueUrl,
          Entries: [
            { Id: 'good', MessageBody: 'a' },
            { Id: 'bad', MessageBody: 'b\u0001' },
          ],
        }),
      );
      expect(Successful?.map(({ Id }) => Id)).toEqual(['good']);
      expect(Failed).toEqual([expect.objectContaining({ Id: 'bad', SenderFault: true })]);
      expect(bodies(await sqs.receive(QueueUrl))).toEqual(['a']);
    });

    test('deletes and changes visibility entry by entry', async () => {
      const QueueUrl = await sqs.makeQueue(false);
      await sqs.client.send(new SendMessageBatchCommand({ QueueUrl, Entries: entries(3) }));
      const [first, second, third] = await sqs.receive(QueueUrl);
      const deleted = await sqs.client.send(
        new DeleteMessageBatchCommand({
          QueueUrl,
          Entries: [
            { Id: 'ok', ReceiptHandle: first?.ReceiptHandle },
            { Id: 'bad', ReceiptHandle: 'no handle at all' },
          ],
        }),
      );
      expect(deleted.Successful?.map(({ Id }) => Id)).toEqual(['ok']);
      expect(deleted.Failed?.map(({ Id }) => Id)).toEqual(['bad']);
      await sqs.client.send(
        new ChangeMessageVisibilityBatchCommand({
          QueueUrl,
          Entries: [second, third].map((message, i) => ({
            Id: String(i),
            ReceiptHandle: message?.ReceiptHandle,
            VisibilityTimeout: 0,
          })),
        }),
      );
      expect(await sqs.receive(QueueUrl)).toHaveLength(2);
    });
  });
}
