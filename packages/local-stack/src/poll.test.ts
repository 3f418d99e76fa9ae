import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { type VirtualClock, virtualClock } from '@usher/limiter-core';
import { localClientConfig } from '@usher/loopback';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Fault, InterceptedCall } from './endpoints/intercept.ts';
import { type Endpoints, startEndpoints } from './endpoints/start-endpoints.ts';
import { DeleteRefusedError, InvocationTimedOutError, type Poller, type PollOptions, pollQueue } from './poll.ts';
import { InvalidBatchAnswerError } from './poll-answer.ts';
import type { LambdaSqsEvent } from './poll-event.ts';

const queueArn = 'arn:aws:sqs:eu-central-1:000000000000:q.fifo';

describe('a poller', () => {
  let clock: VirtualClock;
  let fault: (call: InterceptedCall) => Fault;
  let endpoints: Endpoints;
  let sqs: SQSClient;
  let queueUrl: string;
  let poller: Poller | undefined;
  let errors: unknown[];
  /** Resolved by the operation awaited, as soon as it has been called `n` times. */
  let watched: { operation: string; left: number; done: () => void } | undefined;

  beforeEach(async () => {
    clock = virtualClock('2026-11-29T10:00:00Z');
    errors = [];
    fault = () => 'pass';
    watched = undefined;
    endpoints = await startEndpoints({
      clock,
      intercept: (call) => {
        if (call.operation === watched?.operation && --watched.left === 0) watched.done();
        return fault(call);
      },
    });
    sqs = new SQSClient({ ...localClientConfig(endpoints.sqsUrl), maxAttempts: 1 });
    const Attributes = { FifoQueue: 'true', ContentBasedDeduplication: 'true', VisibilityTimeout: '60' };
    queueUrl = (await sqs.send(new CreateQueueCommand({ QueueName: 'q.fifo', Attributes }))).QueueUrl ?? '';
  });
  afterEach(async () => {
    await poller?.close();
    poller = undefined;
    sqs.destroy();
    await endpoints.close();
  });

  function start(handler: PollOptions['handler'], options: Partial<PollOptions> = {}): void {
    poller = pollQueue({
      sqs,
      queueUrl,
      queueArn,
      handler,
      batchSize: 10,
      concurrency: 1,
      clock,
      invocationTimeoutMs: 10_000,
      onError: (error) => errors.push(error),
      ...options,
    });
  }

  /** Resolves at the `n`th call of an operation from now on. A poller's second poll says that its first batch is done. */
  function calls(operation: string, n: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    watched = { operation, left: n, done: resolve };
    return promise;
  }

  const send = (...bodies: string[]) =>
    sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: bodies.map((MessageBody, i) => ({
          Id: String(i),
          MessageBody,
          MessageGroupId: MessageBody.slice(0, 1),
        })),
      }),
    );

  const bodiesOf = (event: LambdaSqsEvent): string[] => event.Records.map(({ body }) => body);

  async function left(): Promise<{ visible: string | undefined; inFlight: string | undefined }> {
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['All'] }),
    );
    return {
      visible: Attributes?.ApproximateNumberOfMessages,
      inFlight: Attributes?.ApproximateNumberOfMessagesNotVisible,
    };
  }

  test("hands a batch over in Lambda's event shape and deletes it", async () => {
    const invoked = Promise.withResolvers<{ event: LambdaSqsEvent; remaining: number; id: string }>();
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: 'hello',
        MessageGroupId: 'g',
        MessageDeduplicationId: 'd',
        MessageAttributes: { reason: { DataType: 'String', StringValue: 'because' } },
      }),
    );
    const secondPoll = calls('ReceiveMessage', 2);
    start(async (event, context) => {
      clock.advance(4000);
      invoked.resolve({ event, remaining: context.getRemainingTimeInMillis(), id: context.awsRequestId });
    });
    const { event, remaining, id } = await invoked.promise;
    expect(event.Records).toEqual([
      {
        messageId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        receiptHandle: expect.any(String),
        body: 'hello',
        attributes: {
          ApproximateReceiveCount: '1',
          SentTimestamp: String(clock() - 4000),
          ApproximateFirstReceiveTimestamp: String(clock() - 4000),
          SenderId: expect.any(String),
          MessageGroupId: 'g',
          MessageDeduplicationId: 'd',
          SequenceNumber: expect.stringMatching(/^\d{20}$/),
        },
        messageAttributes: {
          reason: { dataType: 'String', stringValue: 'because', stringListValues: [], binaryListValues: [] },
        },
        md5OfBody: '5d41402abc4b2a76b9719d911017c592',
        md5OfMessageAttributes: expect.any(String),
        eventSource: 'aws:sqs',
        eventSourceARN: queueArn,
        awsRegion: 'eu-central-1',
      },
    ]);
    expect(remaining).toBe(6000);
    expect(id).not.toBe('');
    await secondPoll;
    expect(await left()).toEqual({ visible: '0', inFlight: '0' });
    expect(errors).toEqual([]);
  });

  test('deletes what succeeded and leaves what failed to its visibility timeout', async () => {
    await send('a1', 'a2', 'a3');
    const secondPoll = calls('ReceiveMessage', 2);
    start(async ({ Records }) => ({
      batchItemFailures: Records.slice(1).map(({ messageId }) => ({ itemIdentifier: messageId })),
    }));
    await secondPoll;
    expect(await left()).toEqual({ visible: '0', inFlight: '2' });
    expect(errors).toEqual([]);
  });

  test('brings failures back soon and in order where it is told to', async () => {
    await send('a1', 'a2', 'a3');
    const batches: string[][] = [];
    const thirdPoll = calls('ReceiveMessage', 3);
    start(
      async (event) => {
        batches.push(bodiesOf(event));
        if (batches.length > 1) return undefined;
        return { batchItemFailures: event.Records.slice(1).map(({ messageId }) => ({ itemIdentifier: messageId })) };
      },
      { retryAfterSeconds: 0 },
    );
    await thirdPoll;
    expect(batches).toEqual([
      ['a1', 'a2', 'a3'],
      ['a2', 'a3'],
    ]);
  });

  test.each([
    {
      what: 'throws',
      handler: async () => {
        throw new RangeError('broken');
      },
      error: RangeError,
    },
    { what: 'answers nonsense', handler: async () => ({ batchItemFailures: 'all' }), error: InvalidBatchAnswerError },
    {
      what: 'names a message that is not of the batch',
      handler: async () => ({ batchItemFailures: [{ itemIdentifier: 'unknown' }] }),
      error: InvalidBatchAnswerError,
    },
    { what: 'outlives its invocation', handler: () => new Promise(() => {}), error: InvocationTimedOutError },
  ])('keeps the whole batch of a handler that $what', async ({ handler, error }) => {
    await send('a1', 'b1');
    const secondPoll = calls('ReceiveMessage', 2);
    start(handler, { invocationTimeoutMs: 20 });
    await secondPoll;
    expect(await left()).toEqual({ visible: '0', inFlight: '2' });
    expect(errors).toEqual([expect.any(error)]);
  });

  test('never has two invocations of one group at once, and runs other groups beside it', async () => {
    const running = new Map<string, number>();
    let together = 0;
    let most = 0;
    const bothRun = Promise.withResolvers<void>();
    const allDone = calls('DeleteMessageBatch', 6);
    for (const n of [1, 2, 3]) await send(`a${n}`, `b${n}`);
    start(
      async (event) => {
        const groups = new Set(bodiesOf(event).map((body) => body.slice(0, 1)));
        for (const group of groups) {
          const now = (running.get(group) ?? 0) + 1;
          running.set(group, now);
          most = Math.max(most, now);
        }
        together += 1;
        if (together === 2) bothRun.resolve();
        await bothRun.promise;
        for (const group of groups) running.set(group, (running.get(group) ?? 0) - 1);
      },
      { batchSize: 1, concurrency: 3 },
    );
    await allDone;
    expect(most).toBe(1);
  });

  test('closes only when the invocation under way has ended and its messages are deleted', async () => {
    await send('a1');
    const invoked = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    start(async () => {
      invoked.resolve();
      await finish.promise;
    });
    await invoked.promise;
    const closed = poller?.close();
    finish.resolve();
    await closed;
    expect(await left()).toEqual({ visible: '0', inFlight: '0' });
    await send('a2');
    expect(await left()).toEqual({ visible: '1', inFlight: '0' });
  });

  test('tells of a failed poll and a failed delete, and goes on', async () => {
    await send('a1');
    const refused: string[] = [];
    fault = ({ operation }) => {
      if (refused.includes(operation) || !['ReceiveMessage', 'DeleteMessageBatch'].includes(operation)) return 'pass';
      refused.push(operation);
      return { status: 503, type: 'ServiceUnavailable', message: 'try later' };
    };
    const thirdPoll = calls('ReceiveMessage', 3);
    start(async () => undefined, { pollErrorDelayMs: 1 });
    await thirdPoll;
    expect(errors).toEqual([1, 2].map(() => expect.objectContaining({ name: 'ServiceUnavailable' })));
    expect(await left()).toEqual({ visible: '0', inFlight: '1' });
  });

  test('tells of messages that SQS refused to delete, since their visibility had ended', async () => {
    await send('a1', 'b1');
    const secondPoll = calls('ReceiveMessage', 2);
    let invocations = 0;
    start(async () => {
      if (invocations++ === 0) clock.advance(60_000);
    });
    await secondPoll;
    expect(errors).toEqual([expect.any(DeleteRefusedError)]);
  });

  test.each([{ batchSize: 0 }, { batchSize: 11 }, { concurrency: 0 }])('refuses %j', (options) => {
    expect(() => start(async () => undefined, options)).toThrow(RangeError);
  });
});
