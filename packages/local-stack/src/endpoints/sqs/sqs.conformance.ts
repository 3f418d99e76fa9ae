import { randomUUID } from 'node:crypto';
import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  type Message,
  PurgeQueueCommand,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/**
 * Where emulators of SQS are known to differ. Each is asserted, so that a change on either side is seen. The embedded
 * endpoint has SQS's own behaviour in all of them.
 */
export interface SqsFeatures {
  /** How many messages of one group a single receive hands out. SQS: up to ten. */
  readonly groupMessagesPerReceive: 'up to ten' | 'one';
  /** What SQS refuses and this implementation takes, by the names in refusedSends and refusedReceives. SQS: none. */
  readonly accepts: readonly string[];
}

export interface SqsConformance {
  /** A client of the implementation under test, called once; its tests make queues of their own. */
  readonly makeClient: () => SQSClient | Promise<SQSClient>;
  readonly features: SqsFeatures;
}

const mebibyte = 1_048_576;

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

/** Receives SQS refuses, all with InvalidParameterValue. */
const refusedReceives: Readonly<Record<string, Partial<ReceiveMessageCommandInput>>> = {
  'a receive of 11 messages': { MaxNumberOfMessages: 11 },
  'a receive of no messages': { MaxNumberOfMessages: 0 },
  'a wait of 21 seconds': { WaitTimeSeconds: 21 },
  'a visibility timeout of 43,201 seconds': { VisibilityTimeout: 43_201 },
};

/** Registers the suite with vitest. It needs no virtual clock and never sleeps: whatever takes SQS time is left out. */
export function registerSqsConformance({ makeClient, features }: SqsConformance): void {
  let client: SQSClient;
  beforeAll(async () => {
    client = await makeClient();
  });
  afterAll(() => client.destroy());

  async function makeQueue(fifo: boolean, attributes: Record<string, string> = {}): Promise<string> {
    const { QueueUrl = '' } = await client.send(
      new CreateQueueCommand({
        QueueName: `conf-${randomUUID()}${fifo ? '.fifo' : ''}`,
        Attributes: { ...(fifo && { FifoQueue: 'true' }), ...attributes },
      }),
    );
    return QueueUrl;
  }

  async function receive(QueueUrl: string, max = 10, visibilityTimeout?: number): Promise<Message[]> {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: max,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
        ...(visibilityTimeout !== undefined && { VisibilityTimeout: visibilityTimeout }),
      }),
    );
    return Messages;
  }

  /** Sends `<group>-<n>` for each name given, in order. */
  async function sendFifo(QueueUrl: string, ...names: string[]): Promise<void> {
    await client.send(
      new SendMessageBatchCommand({
        QueueUrl,
        Entries: names.map((name, i) => ({
          Id: String(i),
          MessageBody: name,
          MessageGroupId: name.split('-')[0],
          MessageDeduplicationId: name,
        })),
      }),
    );
  }

  const bodies = (messages: readonly Message[]): (string | undefined)[] => messages.map(({ Body }) => Body);

  async function attributesOf(QueueUrl: string): Promise<Record<string, string>> {
    const { Attributes = {} } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
    return Attributes;
  }

  const codeOf = (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => 'accepted',
      (error: unknown) => (error instanceof Error ? error.name : String(error)),
    );

  describe('queues', () => {
    test('answers the same queue when it is created again with the same attributes', async () => {
      const url = await makeQueue(false, { VisibilityTimeout: '45' });
      const QueueName = url.slice(url.lastIndexOf('/') + 1);
      const again = await client.send(new CreateQueueCommand({ QueueName, Attributes: { VisibilityTimeout: '45' } }));
      expect(again.QueueUrl).toBe(url);
      expect((await client.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl).toBe(url);
    });

    test('refuses to create a queue again with another attribute value', async () => {
      const url = await makeQueue(false, { VisibilityTimeout: '45' });
      const QueueName = url.slice(url.lastIndexOf('/') + 1);
      const call = client.send(new CreateQueueCommand({ QueueName, Attributes: { VisibilityTimeout: '46' } }));
      expect(await codeOf(call)).toMatch(/QueueNameExists|QueueAlreadyExists/);
    });

    test('names the queue in its ARN and counts what is visible, in flight and delayed', async () => {
      const QueueUrl = await makeQueue(false);
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'a' }));
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'b' }));
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'later', DelaySeconds: 900 }));
      expect(await receive(QueueUrl, 1)).toHaveLength(1);
      const attributes = await attributesOf(QueueUrl);
      expect(attributes.QueueArn).toMatch(new RegExp(`^arn:aws:sqs:[^:]+:\\d{12}:${QueueUrl.split('/').pop()}$`));
      expect(attributes).toMatchObject({
        ApproximateNumberOfMessages: '1',
        ApproximateNumberOfMessagesNotVisible: '1',
        ApproximateNumberOfMessagesDelayed: '1',
      });
    });

    test('forgets a deleted queue', async () => {
      const QueueUrl = await makeQueue(false);
      await client.send(new DeleteQueueCommand({ QueueUrl }));
      const call = client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'a' }));
      expect(await codeOf(call)).toMatch(/QueueDoesNotExist|NonExistentQueue/);
    });

    test('empties a purged queue', async () => {
      const QueueUrl = await makeQueue(false);
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'a' }));
      await client.send(new PurgeQueueCommand({ QueueUrl }));
      expect(await receive(QueueUrl)).toEqual([]);
    });
  });

  describe('sending', () => {
    for (const [what, { fifo, message, code }] of Object.entries(refusedSends)) {
      const accepted = features.accepts.includes(what);
      test(`${accepted ? 'accepts, unlike SQS,' : 'refuses'} ${what}`, async () => {
        const QueueUrl = await makeQueue(fifo);
        const call = client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'body', ...message }));
        expect(await codeOf(call)).toMatch(accepted ? /^accepted$/ : code);
      });
    }

    test('takes a body of exactly 1 MiB and gives it back', async () => {
      const QueueUrl = await makeQueue(false);
      const body = `${'a'.repeat(mebibyte - 4)}\u{1F600}`;
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody: body }));
      expect((await receive(QueueUrl))[0]?.Body === body).toBe(true);
    });

    test('gives message attributes back with digests the SDK accepts', async () => {
      const QueueUrl = await makeQueue(false);
      const MessageAttributes = {
        reason: { DataType: 'String', StringValue: 'tëxt' },
        bytes: { DataType: 'Binary', BinaryValue: new Uint8Array([0, 255]) },
      };
      const sent = await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'a', MessageAttributes }));
      const [message] = await receive(QueueUrl);
      expect(message?.MessageAttributes?.reason).toMatchObject(MessageAttributes.reason);
      expect([...(message?.MessageAttributes?.bytes?.BinaryValue ?? [])]).toEqual([0, 255]);
      expect(message?.MD5OfMessageAttributes).toBe(sent.MD5OfMessageAttributes);
    });

    test('accepts a group on a standard queue, as a fair queue has it', async () => {
      const QueueUrl = await makeQueue(false);
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'a', MessageGroupId: 'account-1' }));
      expect((await receive(QueueUrl))[0]?.Attributes?.MessageGroupId).toBe('account-1');
    });
  });

  describe('batches', () => {
    const entries = (count: number, body = 'b') =>
      Array.from({ length: count }, (_, i) => ({ Id: `e${i}`, MessageBody: body }));

    test('refuses a batch that is empty, too long, too big or has the same id twice', async () => {
      const QueueUrl = await makeQueue(false);
      const code = (Entries: { Id: string; MessageBody: string }[]): Promise<string> =>
        codeOf(client.send(new SendMessageBatchCommand({ QueueUrl, Entries })));
      expect(await code([])).toMatch(/EmptyBatchRequest/);
      expect(await code(entries(11))).toMatch(/TooManyEntriesInBatchRequest/);
      expect(await code(entries(2, 'a'.repeat(mebibyte / 2 + 1)))).toMatch(/BatchRequestTooLong/);
      expect(await code([...entries(1), ...entries(1)])).toMatch(/BatchEntryIdsNotDistinct/);
      expect(await receive(QueueUrl)).toEqual([]);
    });

    test('takes the good entries of a batch and names the bad one', async () => {
      const QueueUrl = await makeQueue(false);
      const { Successful, Failed } = await client.send(
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
      expect(bodies(await receive(QueueUrl))).toEqual(['a']);
    });

    test('deletes and changes visibility entry by entry', async () => {
      const QueueUrl = await makeQueue(false);
      await client.send(new SendMessageBatchCommand({ QueueUrl, Entries: entries(3) }));
      const [first, second, third] = await receive(QueueUrl);
      const deleted = await client.send(
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
      await client.send(
        new ChangeMessageVisibilityBatchCommand({
          QueueUrl,
          Entries: [second, third].map((message, i) => ({
            Id: String(i),
            ReceiptHandle: message?.ReceiptHandle,
            VisibilityTimeout: 0,
          })),
        }),
      );
      expect(await receive(QueueUrl)).toHaveLength(2);
    });
  });

  describe('receiving', () => {
    for (const [what, input] of Object.entries(refusedReceives)) {
      const accepted = features.accepts.includes(what);
      test(`${accepted ? 'accepts, unlike SQS,' : 'refuses'} ${what}`, async () => {
        const QueueUrl = await makeQueue(false);
        await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'ends a poll at once' }));
        const call = client.send(new ReceiveMessageCommand({ QueueUrl, ...input }));
        expect(await codeOf(call)).toMatch(accepted ? /^accepted$/ : /InvalidParameterValue/);
      });
    }

    test('hides a received message, and shows it again with a higher count when its visibility is set to 0', async () => {
      const QueueUrl = await makeQueue(false);
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'a' }));
      const [first] = await receive(QueueUrl);
      expect(await receive(QueueUrl)).toEqual([]);
      await client.send(
        new ChangeMessageVisibilityCommand({
          QueueUrl,
          ReceiptHandle: first?.ReceiptHandle,
          VisibilityTimeout: 0,
        }),
      );
      const [second] = await receive(QueueUrl);
      expect(second?.MessageId).toBe(first?.MessageId);
      expect(second?.Attributes).toMatchObject({
        ApproximateReceiveCount: '2',
        SentTimestamp: first?.Attributes?.SentTimestamp,
        ApproximateFirstReceiveTimestamp: first?.Attributes?.ApproximateFirstReceiveTimestamp,
      });
    });

    test('wakes a long poll when a message is sent', async () => {
      const QueueUrl = await makeQueue(false);
      const polled = client.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'wake up' }));
      expect(bodies((await polled).Messages ?? [])).toEqual(['wake up']);
    });

    test('refuses a receipt handle it never gave out', async () => {
      const QueueUrl = await makeQueue(false);
      const call = client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: 'no handle at all' }));
      expect(await codeOf(call)).toMatch(/ReceiptHandleIsInvalid/);
    });

    test('moves a message to the dead-letter queue when it would be handed out once too often', async () => {
      const dead = await makeQueue(false);
      const deadLetterTargetArn = (await attributesOf(dead)).QueueArn;
      const QueueUrl = await makeQueue(false, {
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 2 }),
      });
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody: 'poison' }));
      expect(await receive(QueueUrl, 10, 0)).toHaveLength(1);
      expect(await receive(QueueUrl, 10, 0)).toHaveLength(1);
      expect(await receive(QueueUrl, 10, 0)).toEqual([]);
      expect(bodies(await receive(dead))).toEqual(['poison']);
    });
  });

  describe('FIFO queues', () => {
    const several = features.groupMessagesPerReceive === 'up to ten';

    test(`hands out ${features.groupMessagesPerReceive} of a group in one receive, in order, and locks the group`, async () => {
      const QueueUrl = await makeQueue(true);
      await sendFifo(QueueUrl, 'a-1', 'a-2', 'a-3');
      const first = await receive(QueueUrl);
      expect(bodies(first)).toEqual(several ? ['a-1', 'a-2', 'a-3'] : ['a-1']);
      await sendFifo(QueueUrl, 'a-4');
      expect(await receive(QueueUrl)).toEqual([]);
      for (const { ReceiptHandle } of first) await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      expect(bodies(await receive(QueueUrl))).toEqual([several ? 'a-4' : 'a-2']);
    });

    test('goes on to other groups while one is locked', async () => {
      const QueueUrl = await makeQueue(true);
      await sendFifo(QueueUrl, 'a-1', 'b-1', 'a-2', 'b-2');
      const first = await receive(QueueUrl, 1);
      expect(bodies(first)).toEqual(['a-1']);
      const others = await receive(QueueUrl);
      expect(bodies(others)).toEqual(several ? ['b-1', 'b-2'] : ['b-1']);
    });

    test('keeps a group in order when a message of it becomes visible again', async () => {
      const QueueUrl = await makeQueue(true);
      await sendFifo(QueueUrl, 'a-1', 'a-2');
      const [first] = await receive(QueueUrl, 1);
      await client.send(
        new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle: first?.ReceiptHandle, VisibilityTimeout: 0 }),
      );
      const again = await receive(QueueUrl);
      expect(bodies(again)).toEqual(several ? ['a-1', 'a-2'] : ['a-1']);
      expect(again[0]?.Attributes?.ApproximateReceiveCount).toBe('2');
    });

    test('takes a message once for a deduplication id, also after it was deleted', async () => {
      const QueueUrl = await makeQueue(true);
      const message = { QueueUrl, MessageBody: 'once', MessageGroupId: 'g', MessageDeduplicationId: 'same' };
      const first = await client.send(new SendMessageCommand(message));
      const [received] = await receive(QueueUrl);
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: received?.ReceiptHandle }));
      const repeat = await client.send(new SendMessageCommand(message));
      expect(repeat.MessageId).toBe(first.MessageId);
      expect(await receive(QueueUrl)).toEqual([]);
    });

    test('deduplicates by content where the queue says so', async () => {
      const QueueUrl = await makeQueue(true, { ContentBasedDeduplication: 'true' });
      for (const MessageBody of ['x', 'x', 'y']) {
        await client.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId: MessageBody }));
      }
      expect(bodies(await receive(QueueUrl))).toEqual(['x', 'y']);
    });

    test('keeps the groups apart where deduplication is scoped to them', async () => {
      const QueueUrl = await makeQueue(true, {
        DeduplicationScope: 'messageGroup',
        FifoThroughputLimit: 'perMessageGroupId',
      });
      for (const MessageGroupId of ['g', 'h', 'g']) {
        await client.send(
          new SendMessageCommand({
            QueueUrl,
            MessageBody: MessageGroupId,
            MessageGroupId,
            MessageDeduplicationId: 'd',
          }),
        );
      }
      expect(bodies(await receive(QueueUrl))).toEqual(['g', 'h']);
    });

    test('numbers messages in growing order', async () => {
      const QueueUrl = await makeQueue(true);
      await sendFifo(QueueUrl, 'a-1', 'b-1');
      const numbers = (await receive(QueueUrl)).map(({ Attributes }) => Attributes?.SequenceNumber ?? '');
      expect(numbers.every((number) => /^\d{20}$/.test(number))).toBe(true);
      expect(numbers).toEqual([...new Set(numbers)].sort());
    });

    test('refuses to delete by the handle of an earlier delivery', async () => {
      const QueueUrl = await makeQueue(true);
      await sendFifo(QueueUrl, 'a-1');
      const [first] = await receive(QueueUrl, 10, 0);
      const [second] = await receive(QueueUrl);
      expect(second?.MessageId).toBe(first?.MessageId);
      const call = client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: first?.ReceiptHandle }));
      expect(await codeOf(call)).toMatch(/InvalidParameterValue|ReceiptHandleIsInvalid/);
      expect((await attributesOf(QueueUrl)).ApproximateNumberOfMessagesNotVisible).toBe('1');
    });

    test('moves a poisoned message to the FIFO dead-letter queue and sets its group free', async () => {
      const dead = await makeQueue(true);
      const deadLetterTargetArn = (await attributesOf(dead)).QueueArn;
      const QueueUrl = await makeQueue(true, {
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 1 }),
      });
      await sendFifo(QueueUrl, 'a-1', 'a-2');
      expect(bodies(await receive(QueueUrl, 1, 0))).toEqual(['a-1']);
      expect(bodies(await receive(QueueUrl, 1))).toEqual(['a-2']);
      const [poisoned] = await receive(dead);
      expect(poisoned?.Body).toBe('a-1');
      expect(poisoned?.Attributes?.MessageGroupId).toBe('a');
    });
  });
}
