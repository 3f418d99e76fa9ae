import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { readPolicyFile, UnprocessedError, virtualClock } from '@usher/limiter-core/bulk';
import { keys } from '@usher/limiter-core/bulk/dynamodb';
import { localClientConfig } from '@usher/loopback';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Intercept } from './endpoints/intercept.ts';
import { type Endpoints, startEndpoints } from './endpoints/start-endpoints.ts';
import { createResources, tableName } from './resources.ts';
import { describePolicyChanges, type PolicyChanges, storePolicies } from './stored-policies.ts';

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

  const store = (accounts: Record<string, object> | undefined): Promise<PolicyChanges> =>
    storePolicies(client, tableName, {
      policies: accounts === undefined ? undefined : readPolicyFile({ accounts }),
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

  test('are those of the set: others go, and no other item does', async () => {
    const account = { ...keys.account('b'), rev: 1 };
    await client.send(new PutCommand({ TableName: tableName, Item: account }));
    await store({ a: { burst: 3 }, b: { burst: 4 } });
    expect(await stored()).toEqual({
      'policy#a current': { burst: 3 },
      'policy#b current': { burst: 4 },
      'account#b quota': undefined,
    });
    await store({ a: { dailyLimit: 9 }, c: { mode: 'observe' } });
    expect(await stored()).toEqual({
      'policy#a current': { dailyLimit: 9 },
      'policy#c current': { mode: 'observe' },
      'account#b quota': undefined,
    });
  });

  test('stay where there is no set', async () => {
    await store({ b: { burst: 4 }, a: { burst: 3 } });
    expect(await store(undefined)).toEqual({ set: [], kept: ['a', 'b'], removed: [] });
    expect(await stored()).toEqual({ 'policy#a current': { burst: 3 }, 'policy#b current': { burst: 4 } });
  });

  test('are written only where they differ, and it is told which', async () => {
    expect(await store({ same: { burst: 3, thresholds: [0.5] }, changed: { burst: 1 }, gone: {} })).toEqual({
      set: ['changed', 'gone', 'same'],
      kept: [],
      removed: [],
    });
    clock.advance(1000);
    const changes = await store({ changed: { burst: 2 }, same: { thresholds: [0.5], burst: 3 } });
    expect(changes).toEqual({ set: ['changed'], kept: ['same'], removed: ['gone'] });
    const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName }));
    const versions = new Map(Items.map(({ pk, version }) => [pk, version]));
    expect(versions.get('policy#changed')).toBe(clock());
    expect(versions.get('policy#same')).toBe(clock() - 1000);
  });

  test('are told in a line', () => {
    const changes = { set: ['a', 'b'], kept: [], removed: ['c', 'd', 'e', 'f', 'g', 'h'] };
    expect(describePolicyChanges(changes, 'p.json')).toBe(
      'Policies of p.json: 2 (a, b) set, none kept, 6 (c, d, e, f, g, …) removed.',
    );
    expect(describePolicyChanges({ set: [], kept: ['a'], removed: [] }, undefined)).toBe(
      'The built-in policy is the default; 1 (a) of an earlier policy file stay in force.',
    );
    expect(describePolicyChanges({ set: [], kept: [], removed: [] }, undefined)).toBe(
      'The built-in policy holds for every account.',
    );
  });

  test('may be more than one batch holds', async () => {
    await store(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`a${i}`, { burst: i + 1 }])));
    expect(Object.keys(await stored())).toHaveLength(60);
    await store({});
    expect(await stored()).toEqual({});
  });

  test('are written again where DynamoDB leaves them unprocessed, a bounded number of times', async () => {
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
