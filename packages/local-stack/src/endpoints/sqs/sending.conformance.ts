import { SendMessageCommand, type SendMessageCommandInput } from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import { codeOf, mebibyte, type SqsUnderTest } from './testing/sqs-under-test.ts';

/** Messages SQS refuses one by one: what is sent to which kind of queue, and the error's code. */
const refusedSends: Readonly<
  Record<string, { fifo: boolean; message: Partial<SendMessageCommandInput>; code: RegExp }>
> = {
  'a body of 1 MiB and one byte': {
    fifo: false,
    message: { MessageBody: `${'a'.repeat(mebibyte - 1)}é` },
    code: /InvalidParameterValue/,
  },
  'a control character': { fifo: false, message: { MessageBody: 'a\u0001b' }, code: /InvalidMessageContents/ },
  'U+FFFE': { fifo: false, message: { MessageBody: 'a\uFFFEb' }, code: /InvalidMessageContents/ },
  'an empty body': { fifo: false, message: { MessageBody: '' }, code: /MissingParameter|InvalidParameterValue/ },
  'a delay of 901 seconds': { fifo: false, message: { DelaySeconds: 901 }, code: /InvalidParameterValue/ },
  'a negative delay': { fifo: false, message: { DelaySeconds: -1 }, code: /InvalidParameterValue/ },
  'a deduplication id on a standard queue': {
    fifo: false,
    message: { MessageDeduplicationId: 'd' },
    code: /InvalidParameterValue/,
  },
  'a delay on a FIFO queue': {
    fifo: true,
    message: { MessageGroupId: 'g', MessageDeduplicationId: 'd', DelaySeconds: 5 },
    code: /InvalidParameterValue/,
  },
  'no group on a FIFO queue': { fifo: true, message: { MessageDeduplicationId: 'd' }, code: /MissingParameter/ },
  'no deduplication id on a FIFO queue': {
    fifo: true,
    message: { MessageGroupId: 'g' },
    code: /InvalidParameterValue/,
  },
  'a group with a space': {
    fifo: true,
    message: { MessageGroupId: 'a b', MessageDeduplicationId: 'd' },
    code: /InvalidParameterValue/,
  },
  'a group of 129 characters': {
    fifo: true,
    message: { MessageGroupId: 'g'.repeat(129), MessageDeduplicationId: 'd' },
    code: /InvalidParameterValue/,
  },
  'a deduplication id beyond ASCII': {
    fifo: true,
    message: { MessageGroupId: 'g', MessageDeduplicationId: 'é' },
    code: /InvalidParameterValue/,
  },
};

/** Messages sent one by one: the bounds SQS keeps, and all that comes back. */
export function describeSending(sqs: SqsUnderTest): void {
  describe('sending', () => {
    for (const [what, { fifo, message, code }] of Object.entries(refusedSends)) {
      const accepted = sqs.features.accepts.includes(what);
      test(`${accepted ? 'accepts, unlike SQS,' : 'refuses'} ${what}`, async () => {
        const QueueUrl = await sqs.makeQueue(fifo);
        const call = sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'body', ...message }));
        expect(await codeOf(call)).toMatch(accepted ? /^accepted$/ : code);
      });
    }

    test('takes a body of exactly 1 MiB and gives it back', async () => {
      const QueueUrl = await sqs.makeQueue(false);
      const body = `${'a'.repeat(mebibyte - 4)}\u{1F600}`;
      await sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody: body }));
      expect((await sqs.receive(QueueUrl))[0]?.Body === body).toBe(true);
    });

    test('gives message attributes back with digests the SDK accepts', async () => {
      const QueueUrl = await sqs.makeQueue(false);
      const MessageAttributes = {
        reason: { DataType: 'String', StringValue: 'tëxt' },
        bytes: { DataType: 'Binary', BinaryValue: new Uint8Array([0, 255]) },
      };
      const sent = await sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'a', MessageAttributes }));
      const [message] = await sqs.receive(QueueUrl);
      expect(message?.MessageAttributes?.reason).toMatchObject(MessageAttributes.reason);
      expect([...(message?.MessageAttributes?.bytes?.BinaryValue ?? [])]).toEqual([0, 255]);
      expect(message?.MD5OfMessageAttributes).toBe(sent.MD5OfMessageAttributes);
    });

    test('accepts a group on a standard queue, as a fair queue has it', async () => {
      const QueueUrl = await sqs.makeQueue(false);
      await sqs.client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'a', MessageGroupId: 'account-1' }));
      expect((await sqs.receive(QueueUrl))[0]?.Attributes?.MessageGroupId).toBe('account-1');
    });
  });
}
