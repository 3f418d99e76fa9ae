import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { builtInPolicy, keys, readPolicyFile, UnprocessedError, virtualClock } from '@usher/limiter-core';
import { localClientConfig } from '@usher/loopback';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Intercept } from './endpoints/intercept.ts';
import { type Endpoints, startEndpoints } from './endpoints/start-endpoints.ts';
import { loadPolicies, PolicyFileError, storePolicies } from './policies.ts';
import { createResources, tableName } from './resources.ts';

describe('a policy file', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'usher-policies-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function load(content: string): Promise<Awaited<ReturnType<typeof loadPolicies>>> {
    const path = join(folder, 'p.json');
    await writeFile(path, content);
    return loadPolicies(path);
  }

  it('is not needed', async () => {
    expect(await loadPolicies(undefined)).toEqual({ defaultPolicy: builtInPolicy, overrides: new Map() });
  });

  it('overrides the built-in default, and accounts override that', async () => {
    const { defaultPolicy, overrides } = await load('{"default":{"dailyLimit":7},"accounts":{"a":{"burst":3}}}');
    expect(defaultPolicy).toEqual({ ...builtInPolicy, dailyLimit: 7 });
    expect(overrides).toEqual(new Map([['a', { burst: 3 }]]));
  });

  it('may name accounts like properties of objects', async () => {
    const { overrides } = await load('{"accounts":{"__proto__":{"dailyLimit":1},"constructor":{"dailyLimit":2}}}');
    expect(overrides).toEqual(
      new Map([
        ['__proto__', { dailyLimit: 1 }],
        ['constructor', { dailyLimit: 2 }],
      ]),
    );
  });

  it.each([
    ['no JSON', '{"default":', 'at line 1, column 12 (in characters) a value was expected'],
    ['a name twice', '{"accounts":{"ada":{},"ada":{"dailyLimit":5}}}', '/accounts/ada must be given once'],
    ['an unknown part', '{"defaults":{}}', 'defaults must be removed'],
    ['an unknown field', '{"default":{"limit":1}}', 'default.limit must be removed'],
    ['a wrong default', '{"default":{"dailyLimit":-1}}', 'default.dailyLimit must be non-negative'],
    [
      'a wrong account field',
      '{"accounts":{"a":{"timezone":"Mars"}}}',
      'accounts.a.timezone must be an IANA time zone',
    ],
    ['a wrong field of __proto__', '{"accounts":{"__proto__":{"burst":0}}}', 'accounts.__proto__.burst must be'],
    [
      'an account whose limit its pace cannot hand on',
      '{"accounts":{"a":{"dailyLimit":864021}}}',
      'accounts.a: dailyLimit',
    ],
    ['a malformed account id', '{"accounts":{"a b":{}}}', 'accounts: "a b" is no account id'],
  ])('with %s is refused by its name and field', async (_, content, problem) => {
    const loading = load(content);
    await expect(loading).rejects.toThrow(PolicyFileError);
    await expect(loading).rejects.toThrow(`Policy file ${join(folder, 'p.json')} cannot be used: ${problem}`);
  });

  it('that is not there is refused by its name', async () => {
    const path = join(folder, 'missing.json');
    await expect(loadPolicies(path)).rejects.toThrow(`Policy file ${path} cannot be used: ENOENT`);
  });
});

describe('stored policies', () => {
  const clock = virtualClock('2026-11-29T10:00:00Z');
  let fault: Intercept;
  let endpoints: Endpoints;
  let client: DynamoDBDocumentClient;
  let slept: number;

  beforeEach(async () => {
    fault = () => 'pass';
    slept = 0;
    endpoints = await startEndpoints({ clock, intercept: (call) => fault(call) });
    const dynamoDb = new DynamoDBClient({ ...localClientConfig(endpoints.dynamoDbUrl), maxAttempts: 1 });
    client = DynamoDBDocumentClient.from(dynamoDb);
    const sqs = new SQSClient(localClientConfig(endpoints.sqsUrl));
    const eventBridge = new EventBridgeClient(localClientConfig(endpoints.eventBridgeUrl));
    await createResources({ dynamoDb, sqs, eventBridge });
    for (const other of [sqs, eventBridge]) other.destroy();
  });
  afterEach(async () => {
    client.destroy();
    await endpoints.close();
  });

  const store = (accounts: Record<string, object>): Promise<void> =>
    storePolicies(client, tableName, {
      policies: readPolicyFile({ accounts }),
      nowMs: clock(),
      retry: {
        sleep: async () => {
          slept += 1;
        },
        random: () => 1,
      },
    });

  async function stored(): Promise<Record<string, unknown>> {
    const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName }));
    return Object.fromEntries(Items.map((item) => [`${item.pk} ${item.sk}`, item.policy]));
  }

  it('are those of the set: others go, and no other item does', async () => {
    const account = { ...keys.account('b'), rev: 1 };
    await client.send(new PutCommand({ TableName: tableName, Item: account }));
    await store({ a: { burst: 3 }, b: { burst: 4 } });
    expect(await stored()).toEqual({
      'account#a policy': { burst: 3 },
      'account#b policy': { burst: 4 },
      'account#b quota': undefined,
    });
    await store({ a: { dailyLimit: 9 }, c: { mode: 'observe' } });
    expect(await stored()).toEqual({
      'account#a policy': { dailyLimit: 9 },
      'account#c policy': { mode: 'observe' },
      'account#b quota': undefined,
    });
  });

  it('may be more than one batch holds', async () => {
    await store(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`a${i}`, { burst: i + 1 }])));
    expect(Object.keys(await stored())).toHaveLength(60);
    await store({});
    expect(await stored()).toEqual({});
  });

  it('are written again where DynamoDB leaves them unprocessed, a bounded number of times', async () => {
    let left = 2;
    client.middlewareStack.add(
      (next) => async (args) => {
        const answer = await next(args);
        if ('RequestItems' in args.input && left-- > 0) {
          Object.assign(answer.output, { UnprocessedItems: args.input.RequestItems });
        }
        return answer;
      },
      { step: 'initialize', priority: 'high' },
    );
    await store({ a: { burst: 3 } });
    expect(slept).toBe(2);
    left = 5;
    await expect(store({ a: { burst: 4 } })).rejects.toThrow(UnprocessedError);
  });
});
