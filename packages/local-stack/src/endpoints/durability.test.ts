import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import {
  CreateEventBusCommand,
  EventBridgeClient,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { systemClock, systemRetry } from '@usher/limiter-core/bulk';
import { createTable, localClientConfig } from '@usher/loopback';
import { type } from 'arktype';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DataFolderInUseError } from '../errors.ts';
import { type Endpoints, startEndpoints } from './start-endpoints.ts';

const Urls = type('string.json.parse').to({ dynamoDbUrl: 'string', sqsUrl: 'string', eventBridgeUrl: 'string' });

describe('the endpoints on a data folder', () => {
  let dataDir: string;
  let child: ChildProcess | undefined;
  let endpoints: Endpoints | undefined;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'usher-endpoints-'));
  });
  afterEach(async () => {
    await killChild();
    await endpoints?.close();
    endpoints = undefined;
    await rm(dataDir, { recursive: true });
  });

  async function startChild(): Promise<typeof Urls.infer> {
    child = spawn(
      process.execPath,
      [fileURLToPath(new URL('./testing/endpoints-process.ts', import.meta.url)), dataDir],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    if (!child.stdout) throw new Error('The child has no stdout.');
    for await (const line of createInterface(child.stdout)) return Urls.assert(line);
    throw new Error('The child ended before it listened.');
  }

  async function killChild(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  async function restart(): Promise<Endpoints> {
    endpoints = await startEndpoints({ dataDir, clock: systemClock });
    return endpoints;
  }

  const sqsClient = (url: string): SQSClient => new SQSClient({ ...localClientConfig(url), maxAttempts: 1 });

  const makeFifo = (sqs: SQSClient) =>
    sqs.send(
      new CreateQueueCommand({
        QueueName: 'q.fifo',
        Attributes: { FifoQueue: 'true', VisibilityTimeout: '43200', ContentBasedDeduplication: 'true' },
      }),
    );

  const send = (sqs: SQSClient, QueueUrl: string | undefined, body: string, group: string) =>
    sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: body, MessageGroupId: group }));

  /** Everything in the queue, deleted as it comes. */
  async function drain(sqs: SQSClient, QueueUrl: string | undefined): Promise<Message[]> {
    const all: Message[] = [];
    for (;;) {
      const { Messages } = await sqs.send(
        new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All'] }),
      );
      if (!Messages) return all;
      all.push(...Messages);
      const Entries = Messages.map(({ ReceiptHandle }, i) => ({ Id: String(i), ReceiptHandle }));
      await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    }
  }

  test('lose no acknowledged message and keep every group in order when killed in the middle of sends', async () => {
    const before = sqsClient((await startChild()).sqsUrl);
    const { QueueUrl } = await makeFifo(before);
    const acknowledged: string[] = [];
    const senders = ['a', 'b', 'c', 'd'].map(async (group) => {
      for (let n = 0; ; n += 1) {
        const body = `${group}-${n}`;
        try {
          await send(before, QueueUrl, body, group);
        } catch {
          return;
        }
        if (acknowledged.push(body) === 200) await killChild();
      }
    });
    await Promise.all(senders);
    before.destroy();

    const after = sqsClient((await restart()).sqsUrl);
    for (const body of acknowledged) await send(after, QueueUrl, body, body.slice(0, 1));
    const bodies = (await drain(after, QueueUrl)).map(({ Body = '' }) => Body);
    after.destroy();
    expect(acknowledged.length).toBeGreaterThanOrEqual(200);
    expect(acknowledged.filter((body) => !bodies.includes(body))).toEqual([]);
    expect(bodies.length).toBe(new Set(bodies).size);
    for (const group of ['a', 'b', 'c', 'd']) {
      const numbers = bodies.filter((body) => body.startsWith(group)).map((body) => Number(body.slice(2)));
      expect(numbers).toEqual(numbers.map((_, i) => i));
    }
  });

  test('show what was in flight at once after a kill, with its receive count, and answer to the old queue URL', async () => {
    const before = sqsClient((await startChild()).sqsUrl);
    const { QueueUrl } = await makeFifo(before);
    await send(before, QueueUrl, 'a', 'g');
    expect((await before.send(new ReceiveMessageCommand({ QueueUrl }))).Messages).toHaveLength(1);
    await killChild();
    before.destroy();

    const { sqsUrl } = await restart();
    const after = sqsClient(sqsUrl);
    const [message] = await drain(after, QueueUrl);
    expect(message?.Attributes?.ApproximateReceiveCount).toBe('2');
    const { QueueUrl: newUrl } = await after.send(new GetQueueUrlCommand({ QueueName: 'q.fifo' }));
    expect(newUrl).toBe(`${sqsUrl}/000000000000/q.fifo`);
    after.destroy();
  });

  test('keep buses, rules, targets and table items over a kill', async () => {
    const urls = await startChild();
    const sqs = sqsClient(urls.sqsUrl);
    const events = new EventBridgeClient(localClientConfig(urls.eventBridgeUrl));
    await sqs.send(new CreateQueueCommand({ QueueName: 'events' }));
    await events.send(new CreateEventBusCommand({ Name: 'usher' }));
    const EventPattern = JSON.stringify({ source: ['usher.quota'] });
    await events.send(new PutRuleCommand({ EventBusName: 'usher', Name: 'all', EventPattern }));
    const Targets = [{ Id: 'queue', Arn: 'arn:aws:sqs:eu-central-1:000000000000:events' }];
    await events.send(new PutTargetsCommand({ EventBusName: 'usher', Rule: 'all', Targets }));
    const dynamoDb = new DynamoDBClient(localClientConfig(urls.dynamoDbUrl));
    await createTable(dynamoDb, { tableName: 'items', partitionKey: 'pk' }, systemRetry);
    await dynamoDb.send(new PutItemCommand({ TableName: 'items', Item: { pk: { S: 'a' } } }));
    await killChild();
    for (const client of [sqs, events, dynamoDb]) client.destroy();

    const after = await restart();
    const eventsAfter = new EventBridgeClient(localClientConfig(after.eventBridgeUrl));
    const Entries = [{ EventBusName: 'usher', Source: 'usher.quota', DetailType: 'Tested', Detail: '{}' }];
    const { Entries: put } = await eventsAfter.send(new PutEventsCommand({ Entries }));
    const sqsAfter = sqsClient(after.sqsUrl);
    const [message] = await drain(sqsAfter, 'events');
    expect(message?.Body).toContain(put?.[0]?.EventId);
    const dynamoDbAfter = new DynamoDBClient(localClientConfig(after.dynamoDbUrl));
    const { Item } = await dynamoDbAfter.send(new GetItemCommand({ TableName: 'items', Key: { pk: { S: 'a' } } }));
    expect(Item).toEqual({ pk: { S: 'a' } });
    for (const client of [eventsAfter, sqsAfter, dynamoDbAfter]) client.destroy();
  });

  test('refuse a folder that another process or this one has open, by its name', async () => {
    await startChild();
    const second = startEndpoints({ dataDir, clock: systemClock });
    await expect(second).rejects.toThrow(DataFolderInUseError);
    await expect(startEndpoints({ dataDir, clock: systemClock })).rejects.toThrow(dataDir);
    await killChild();
    await restart();
    await expect(startEndpoints({ dataDir, clock: systemClock })).rejects.toThrow(DataFolderInUseError);
  });
});
