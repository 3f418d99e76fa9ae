import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge';
import { CreateQueueCommand, GetQueueAttributesCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { eventBusName, eventDetails, eventSource } from '@usher/contracts';
import { readPolicyFile, systemClock } from '@usher/limiter-core/bulk';
import { type Stack, startStack, toSqsEvent } from '@usher/local-stack';
import { createTable } from '@usher/loopback';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { consume } from '../examples/consumer/src/consume.ts';
import { readUsage } from '../examples/consumer/src/read-usage.ts';
import { bodyOf } from '../examples/consumer/src/sample-events.ts';
import { usagePattern } from '../examples/consumer/src/usage-pattern.ts';
import { tableKeys, UsageTable } from '../examples/consumer/src/usage-table.ts';
import { silentLog } from './support/silent-log.ts';

let dataDir: string;
let stack: Stack;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'usher-consumer-'));
  const policies = readPolicyFile({ accounts: { acme: { dailyLimit: 5 } } });
  stack = await startStack({ dataDir, port: 0, policies, clock: systemClock, log: silentLog });
});
afterAll(async () => {
  await stack.close();
  await rm(dataDir, { recursive: true });
});

/** A queue of our own behind a rule of our own on the bus, made as the stack makes them. */
async function subscribe(accountIds: readonly string[]): Promise<{ url: string; arn: string }> {
  const { sqs, eventBridge } = stack.clients;
  const { QueueUrl: url = '' } = await sqs.send(new CreateQueueCommand({ QueueName: 'usage-consumer' }));
  const read = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] });
  const arn = (await sqs.send(read)).Attributes?.QueueArn ?? '';
  const rule = { EventBusName: eventBusName, EventPattern: JSON.stringify(usagePattern(accountIds)) };
  await eventBridge.send(new PutRuleCommand({ Name: 'usage-consumer', ...rule }));
  const target = { EventBusName: eventBusName, Rule: 'usage-consumer', Targets: [{ Id: 'queue', Arn: arn }] };
  await eventBridge.send(new PutTargetsCommand(target));
  return { url, arn };
}

async function book(accountId: string, key: string, costs: readonly number[]): Promise<void> {
  const answer = await fetch(`${stack.url}/v1/bookings`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer dev:${accountId}`,
      'Content-Type': 'application/json',
      'Idempotency-Key': key,
    },
    body: JSON.stringify({ reservations: costs.map((cost, n) => ({ id: `r-${n}`, cost })) }),
  });
  expect(answer.status).toBe(202);
}

test('what the embedded stack publishes is counted: of this account, and of no other', async () => {
  const { url, arn } = await subscribe(['acme']);
  const { sqs, dynamoDb } = stack.clients;
  await createTable(dynamoDb, { tableName: 'usage', ...tableKeys }, { sleep: async () => undefined });
  const usage = new UsageTable(dynamoDb, 'usage');
  await book('other', 'k-1', [1]);
  await book('acme', 'k-2', [4, 3]);

  const receive = new ReceiveMessageCommand({
    QueueUrl: url,
    MaxNumberOfMessages: 10,
    WaitTimeSeconds: 20,
    MessageSystemAttributeNames: ['All'],
  });
  const batch = toSqsEvent((await sqs.send(receive)).Messages ?? [], arn);
  const onFailure = (_: string, error: unknown) => expect(error).toBeUndefined();
  for (let times = 0; times < 2; times++) {
    expect(await consume(batch, { usage, onFailure })).toEqual({ batchItemFailures: [] });
  }
  const [{ data } = { data: undefined }] = batch.Records.map(({ body }) => readUsage(body));
  const day = { accountId: 'acme', date: data?.window.date ?? '' };
  expect(await usage.totals(day)).toEqual({ granted: 4, rejected: 3 });
  expect(await usage.latest(day)).toMatchObject({ used: 4, limit: 5 });
  expect(data?.rejected.byReason).toEqual({ daily_quota_exceeded: { count: 1, cost: 3 } });
});

const root = join(import.meta.dirname, '..');
const example = join(root, 'examples/consumer');

test.each(['quota-usage-recorded.json', 'quota-usage-recorded.d.ts'])('its %s is the published one', async (name) => {
  const [copy, published] = await Promise.all(
    [join(example, 'src/usage-event', name), join(root, 'packages/contracts/schemas', name)].map((path) =>
      readFile(path, 'utf8'),
    ),
  );
  expect(copy).toBe(published);
});

test('the event that Usher publishes, to the letter, is read', async () => {
  const published: object = JSON.parse(
    await readFile(join(root, 'test/golden/event-quota-usage-recorded.json'), 'utf8'),
  );
  expect(readUsage(bodyOf(published))).toEqual(published);
});

test('its rule is for events that Usher publishes', () => {
  const { source, 'detail-type': detailTypes } = usagePattern();
  expect(source).toEqual([eventSource]);
  expect(Object.keys(eventDetails)).toEqual(expect.arrayContaining(detailTypes));
});

test('a copy of its folder needs nothing of this repository: it is typed, and runs', async () => {
  const copy = await mkdtemp(join(tmpdir(), 'usher-consumer-copy-'));
  onTestFinished(() => rm(copy, { recursive: true }));
  const isOwn = (path: string): boolean => !/\/(node_modules|dist|cdk\.out)(\/|$)/.test(path.slice(example.length));
  await cp(example, copy, { recursive: true, filter: isOwn });
  for (const name of await readdir(copy, { recursive: true })) {
    if (!/\.(ts|json)$/.test(name)) continue;
    expect(await readFile(join(copy, name), 'utf8'), name).not.toMatch(
      /@usher\/(?!consumer-example")|\.\.\/\.\.|"(workspace|catalog):/,
    );
  }
  // In place of what `npm install` would bring.
  await symlink(join(example, 'node_modules'), join(copy, 'node_modules'));
  const run = (args: string[]) => promisify(execFile)(process.execPath, args, { cwd: copy });
  await run(['node_modules/typescript/bin/tsc', '-p', '.']);
  expect((await run(['src/start.ts'])).stdout).toContain('totals {"granted":90,"rejected":20}');
});
