import {
  CreateEventBusCommand,
  EventBridgeClient,
  PutEventsCommand,
  PutRuleCommand,
  PutTargetsCommand,
  type Target,
} from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { type VirtualClock, virtualClock } from '@usher/limiter-core';
import { localClientConfig } from '@usher/loopback';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { queueArn } from '../arn.ts';
import type { Fault } from '../intercept.ts';
import { type Endpoints, startEndpoints } from '../start-endpoints.ts';

describe('events put on a bus', () => {
  let clock: VirtualClock;
  let fault: Fault;
  let endpoints: Endpoints;
  let events: EventBridgeClient;
  let sqs: SQSClient;

  beforeEach(async () => {
    clock = virtualClock('2026-11-29T10:00:00.750Z');
    fault = 'pass';
    const intercept = ({ operation }: { operation: string }): Fault => (operation === 'PutEvents' ? fault : 'pass');
    endpoints = await startEndpoints({ clock, intercept });
    events = new EventBridgeClient({ ...localClientConfig(endpoints.eventBridgeUrl), maxAttempts: 1 });
    sqs = new SQSClient(localClientConfig(endpoints.sqsUrl));
    await events.send(new CreateEventBusCommand({ Name: 'usher' }));
    const EventPattern = JSON.stringify({ source: ['usher.quota'] });
    await events.send(new PutRuleCommand({ EventBusName: 'usher', Name: 'r', EventPattern }));
  });
  afterEach(async () => {
    events.destroy();
    sqs.destroy();
    await endpoints.close();
  });

  async function makeQueue(QueueName: string, attributes: Record<string, string> = {}): Promise<string> {
    const Attributes = { ...(QueueName.endsWith('.fifo') && { FifoQueue: 'true' }), ...attributes };
    return (await sqs.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl ?? '';
  }

  const target = (Targets: Target[]) =>
    events.send(new PutTargetsCommand({ EventBusName: 'usher', Rule: 'r', Targets }));

  const put = (Detail = '{}') =>
    events.send(
      new PutEventsCommand({
        Entries: [{ EventBusName: 'usher', Source: 'usher.quota', DetailType: 'Tested', Detail }],
      }),
    );

  async function receive(QueueUrl: string): Promise<Message[]> {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All'] }),
    );
    return Messages;
  }

  test('arrive as they were written, be it a number beyond doubles or a character SQS refuses', async () => {
    const QueueUrl = await makeQueue('q');
    await target([{ Id: 't', Arn: queueArn('q') }]);
    const { Entries } = await put('{"n":9007199254740993,"s":"\uFFFE"}');
    expect((await receive(QueueUrl))[0]?.Body).toBe(
      `{"version":"0","id":"${Entries?.[0]?.EventId}","detail-type":"Tested","source":"usher.quota","account":"000000000000","time":"2026-11-29T10:00:00Z","region":"eu-central-1","resources":[],"detail":{"n":9007199254740993,"s":"\\ufffe"}}`,
    );
  });

  test('are in every target queue before the answer, even when that is lost', async () => {
    const urls = [await makeQueue('q1'), await makeQueue('q2')];
    await target(['q1', 'q2'].map((name) => ({ Id: name, Arn: queueArn(name) })));
    fault = 'drop-after';
    await expect(put()).rejects.toThrow();
    for (const url of urls) expect(await receive(url)).toHaveLength(1);
  });

  test('go to a FIFO queue in the group its target names', async () => {
    const QueueUrl = await makeQueue('q.fifo', { ContentBasedDeduplication: 'true' });
    await target([{ Id: 't', Arn: queueArn('q.fifo'), SqsParameters: { MessageGroupId: 'events' } }]);
    await put();
    await put();
    const groups = (await receive(QueueUrl)).map(({ Attributes }) => Attributes?.MessageGroupId);
    expect(groups).toEqual(['events', 'events']);
  });

  test('go to the other targets when the queue of one has been deleted', async () => {
    const deleted = await makeQueue('deleted');
    const QueueUrl = await makeQueue('q');
    await target(['deleted', 'q'].map((name) => ({ Id: name, Arn: queueArn(name) })));
    await sqs.send(new DeleteQueueCommand({ QueueUrl: deleted }));
    expect((await put()).FailedEntryCount).toBe(0);
    expect(await receive(QueueUrl)).toHaveLength(1);
  });

  test('go nowhere while the rule is disabled', async () => {
    const QueueUrl = await makeQueue('q');
    await target([{ Id: 't', Arn: queueArn('q') }]);
    const rule = { EventBusName: 'usher', Name: 'r', EventPattern: '{"source":["usher.quota"]}' };
    await events.send(new PutRuleCommand({ ...rule, State: 'DISABLED' }));
    await put();
    expect(await receive(QueueUrl)).toEqual([]);
    await events.send(new PutRuleCommand({ ...rule, State: 'ENABLED' }));
    await put();
    expect(await receive(QueueUrl)).toHaveLength(1);
  });

  test.each([
    ['names no queue there is', { Arn: queueArn('none') }],
    ['is no queue', { Arn: 'arn:aws:lambda:eu-central-1:000000000000:function:f' }],
    ['leaves the group of a FIFO queue open', { Arn: queueArn('content.fifo') }],
    [
      'is a FIFO queue that cannot deduplicate',
      { Arn: queueArn('plain.fifo'), SqsParameters: { MessageGroupId: 'g' } },
    ],
    ['would change the event', { Arn: queueArn('q'), InputPath: '$.detail' }],
  ])('have no target that %s: it is refused when put', async (_, bad) => {
    await makeQueue('q');
    await makeQueue('content.fifo', { ContentBasedDeduplication: 'true' });
    await makeQueue('plain.fifo');
    await expect(target([{ Id: 't', ...bad }])).rejects.toMatchObject({ name: 'ValidationException' });
  });
});
