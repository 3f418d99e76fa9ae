import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { localClientConfig } from '@usher/loopback';
import { type FakeTrip, fakeDynamoDb } from '@usher/loopback/testing';
import { describe, expect, test } from 'vitest';
import { currentStates } from '../limiter/decision.ts';
import { StoreUnavailableError } from '../limiter/errors.ts';
import type { LimitStore, Limits, Policy } from '../limiter/store.ts';
import { tokenBucket } from '../limiter/strategies/bucket.ts';
import { slidingWindow } from '../limiter/strategies/sliding-window.ts';
import type { Rule } from '../limiter/strategies/strategy.ts';
import { fixedWindow } from '../limiter/strategies/window.ts';
import { dynamoDb } from './dynamodb.ts';

const tableName = 'limits';
const retry = { sleep: async () => undefined, random: () => 0 };

/** A table that does what it is asked, and loses the next answers while `lost` is above 0. */
function newTable() {
  const network = { lost: 0, meanwhile: async (): Promise<unknown> => undefined };
  const trip: FakeTrip = async (_operation, serve) => {
    const answer = serve();
    if (network.lost === 0) return answer;
    network.lost--;
    await network.meanwhile();
    throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
  };
  const fake = fakeDynamoDb([{ tableName, partitionKey: 'pk' }], { trip });
  const { requestHandler } = fake.client().config;
  const newStore = (maxAttempts: number, attempts: number): LimitStore => {
    const client = new DynamoDBClient({ ...localClientConfig('http://127.0.0.1:1'), maxAttempts, requestHandler });
    return dynamoDb({ tableName, client, attempts, retry, refusalCacheMs: 0 });
  };
  return { network, newStore };
}

function limitsOf(strategy: Policy['strategy']): Limits {
  return {
    limiter: 'api',
    key: 'acme',
    policies: [{ name: 'only', strategy }],
    nowMs: Date.parse('2026-11-30T12:00:00Z'),
  };
}

async function left(store: LimitStore, limits: Limits): Promise<number> {
  const [state] = currentStates(limits.policies, await store.peek(limits));
  const rule: Rule | undefined = limits.policies[0]?.strategy;
  if (rule === undefined || state === undefined) throw new Error('no state');
  return rule.remaining(state, limits.nowMs);
}

describe.each<[string, Policy['strategy']]>([
  ['a bucket', tokenBucket({ capacity: 5, refillPerSecond: 1 })],
  ['a window', fixedWindow({ limit: 5, windowMs: 60_000 })],
  ['a sliding window', slidingWindow({ limit: 5, windowMs: 60_000 })],
])('%s whose answer was lost', (_, strategy) => {
  const limits = limitsOf(strategy);

  test.each([
    ['the store', 1, 2],
    ['the client', 2, 1],
  ])('is not taken from twice by a repeat of %s, nor refused for what it took itself', async (_, inClient, inStore) => {
    const { network, newStore } = newTable();
    const store = newStore(inClient, inStore);
    network.lost = 1;
    expect((await store.take(limits, 3)).taken).toBe(true);
    expect(await left(store, limits)).toBe(2);
    network.lost = 1;
    await store.charge(limits, 1);
    expect(await left(store, limits)).toBe(1);
  });

  test('gets a refund once, from a client that repeats', async () => {
    const { network, newStore } = newTable();
    const store = newStore(2, 1);
    const taken = await store.take(limits, 2);
    await store.take(limits, 2);
    network.lost = 1;
    await store.giveBack(limits, 2, currentStates(limits.policies, taken));
    expect(await left(store, limits)).toBe(3);
  });

  test('gets a refund once from the store, even where another process writes in between', async () => {
    const { network, newStore } = newTable();
    const store = newStore(1, 2);
    const taken = await store.take(limits, 2);
    await store.take(limits, 2);
    network.lost = 1;
    network.meanwhile = () => newStore(1, 1).charge(limits, 1);
    const refund = store.giveBack(limits, 2, currentStates(limits.policies, taken));
    await expect(refund).rejects.toThrow(StoreUnavailableError);
    expect(await left(store, limits)).toBe(2);
  });
});
