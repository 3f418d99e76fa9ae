import { createHash } from 'node:crypto';
import { type AttributeValue, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { fakeDynamoDb } from '@usher/loopback/testing';
import { expect, test } from 'vitest';
import { CorruptItemError } from '../errors.ts';
import type { Limits, Policy } from '../limiter/store.ts';
import { maxClockSkewMs, tokenBucket } from '../limiter/strategies/bucket.ts';
import { slidingWindow } from '../limiter/strategies/sliding-window.ts';
import { calendarWindow, fixedWindow } from '../limiter/strategies/window.ts';
import { dynamoDb } from './dynamodb.ts';
import type { DynamoDbOptions } from './options.ts';

const tableName = 'limits';
const nowMs = Date.parse('2026-11-30T12:00:00Z');
const bucket = tokenBucket({ capacity: 10, refillPerSecond: 1 });
const second = fixedWindow({ limit: 5, windowMs: 1000 });

function limitsOf(strategies: Readonly<Record<string, Policy['strategy']>>, key = 'acme'): Limits {
  const policies = Object.entries(strategies).map(([name, strategy]) => ({ name, strategy }));
  return { limiter: 'api', key, policies, nowMs };
}

function newTable(sortKey?: string) {
  const fake = fakeDynamoDb([{ tableName, partitionKey: 'pk', ...(sortKey !== undefined && { sortKey }) }]);
  const client = fake.client();
  return {
    client,
    newStore: (options: Partial<DynamoDbOptions> = {}) => dynamoDb({ tableName, client: fake.client(), ...options }),
    async item(pk: string, sort?: { name: string; value: string }) {
      const Key = { pk: { S: pk }, ...(sort !== undefined && { [sort.name]: { S: sort.value } }) };
      const { Item } = await client.send(new GetItemCommand({ TableName: tableName, Key, ConsistentRead: true }));
      return Item;
    },
    async put(item: Record<string, AttributeValue>) {
      await client.send(new PutItemCommand({ TableName: tableName, Item: item }));
    },
  };
}

test('an item is made of its key, its TTL, and attributes that begin with their policy', async () => {
  const table = newTable();
  await table
    .newStore()
    .take(limitsOf({ burst: bucket, second, last: slidingWindow({ limit: 9, windowMs: 60_000 }) }), 2);
  expect(await table.item('api:acme')).toEqual({
    pk: { S: 'api:acme' },
    'burst.tat': { N: String(nowMs + 2000) },
    'burst.rate': { S: '1/1000' },
    'burst.since': { N: String(nowMs) },
    'burst.given': { N: '0' },
    [`second.${nowMs}+1000`]: { N: '2' },
    [`last.${nowMs}~60000`]: { N: '2' },
    expiresAt: { N: String((nowMs + 2 * 3_600_000) / 1000) },
    lastWrite: { S: expect.any(String) },
  });
});

test('prefix, sort key and the names of attributes are those that were asked for', async () => {
  const table = newTable('sk');
  const sortKey = { name: 'sk', value: 'limit' };
  await table.newStore({ prefix: 'rate#', sortKey, ttlAttribute: 'ttl' }).take(limitsOf({ second }), 1);
  expect(await table.item('rate#api:acme', sortKey)).toMatchObject({ [`second.${nowMs}+1000`]: { N: '1' }, ttl: {} });
});

test('a key of more than 1,024 bytes is stored as its hash', async () => {
  const table = newTable();
  const key = 'ü'.repeat(513);
  await table.newStore().take(limitsOf({ second }, key), 1);
  const hash = createHash('sha256').update(key).digest('hex');
  expect(await table.item(`api~${hash}`)).toBeDefined();
});

test('neither a refund nor the end of a block makes an item', async () => {
  const table = newTable();
  const store = table.newStore();
  const limits = limitsOf({ burst: bucket, second });
  const { states } = await store.take(limits, 1);
  await table.newStore().delete(limits);
  const taken = states.filter((state) => state !== undefined);
  await store.giveBack(limits, 1, taken);
  await store.block(limits, 0);
  expect(await table.item('api:acme')).toBeUndefined();
});

test('no write makes the TTL earlier than a block or the limits of another plan need', async () => {
  const table = newTable();
  const long = fixedWindow({ limit: 5, windowMs: 30 * 86_400_000 });
  const endMs = Math.floor(nowMs / long.windowMs + 1) * long.windowMs;
  const ttl = async (): Promise<number> => Number((await table.item('api:acme'))?.expiresAt?.N) * 1000;

  await table.newStore().take(limitsOf({ long }), 1);
  await table.newStore().take(limitsOf({ second }), 1);
  await table.newStore().charge(limitsOf({ burst: bucket }), 3);
  expect(await ttl()).toBeGreaterThanOrEqual(endMs);

  const untilMs = endMs + 86_400_000;
  await table.newStore().block(limitsOf({}), untilMs);
  await table.newStore().charge(limitsOf({ second }), 1);
  expect(await ttl()).toBeGreaterThanOrEqual(untilMs);
});

test('the TTL of a bucket in debt lies behind the end of the debt, also where another process made it', async () => {
  const table = newTable();
  const limits = limitsOf({ burst: bucket });
  for (let i = 0; i < 3; i++) await table.newStore().charge(limits, 20_000);
  const expiresAt = Number((await table.item('api:acme'))?.expiresAt?.N);
  expect(expiresAt).toBeGreaterThanOrEqual(nowMs / 1000 + 60_000);
});

test('a block without end outlives everything', async () => {
  const table = newTable();
  const limits = limitsOf({ second });
  await table.newStore().block(limits, 8_640_000_000_000_000);
  await table.newStore().charge(limits, 1);
  expect(Number((await table.item('api:acme'))?.expiresAt?.N)).toBeGreaterThan(8_640_000_000_000);
  const later = { ...limits, nowMs: nowMs + 100 * 365 * 86_400_000 };
  expect((await table.newStore().take(later, 1)).taken).toBe(false);
});

test('windows that are over are cleared by the next write', async () => {
  const table = newTable();
  const store = table.newStore();
  for (let i = 0; i < 30; i++) await store.take({ ...limitsOf({ second }), nowMs: nowMs + i * 1000 }, 1);
  const windows = Object.keys((await table.item('api:acme')) ?? {}).filter((name) => name.startsWith('second.'));
  expect(windows).toHaveLength(5);
});

test('an answer does not wait until windows that are over are cleared', async () => {
  let isAway = false;
  const never = new Promise<never>(() => undefined);
  const served: string[] = [];
  const fake = fakeDynamoDb([{ tableName, partitionKey: 'pk' }], {
    trip: async (operation, serve) => {
      served.push(operation);
      return isAway && served.length > 1 ? never : serve();
    },
  });
  const many = limitsOf(Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`w${i}`, second])));
  for (const hour of [0, 1]) {
    await dynamoDb({ tableName, client: fake.client() }).take({ ...many, nowMs: nowMs + hour * 3_600_000 }, 1);
  }
  for (const method of ['take', 'charge'] as const) {
    served.length = 0;
    isAway = true;
    const store = dynamoDb({ tableName, client: fake.client() });
    await store[method]({ ...many, nowMs: nowMs + 2 * 3_600_000 }, 1);
    await expect.poll(() => served).toEqual(['UpdateItem', 'UpdateItem']);
  }
});

test('a clock that is a little behind counts in the window that another one has begun', async () => {
  const table = newTable();
  const limits = limitsOf({ second, last: slidingWindow({ limit: 5, windowMs: 1000 }) });
  await table.newStore().take(limits, 5);
  expect((await table.newStore().take({ ...limits, nowMs: nowMs - 50 }, 1)).taken).toBe(false);
});

test.each([
  { name: 'a day of 25 hours', unit: 'day', now: '2026-10-24T22:00:10Z', ahead: '2026-10-25T23:00:10Z' },
  { name: 'a month of 31 days', unit: 'month', now: '2026-01-01T00:00:10Z', ahead: '2026-02-01T00:00:10Z' },
] as const)(
  'a window that a clock ahead began after $name counts from its first instant',
  async ({ unit, now, ahead }) => {
    const table = newTable();
    const store = table.newStore();
    const limits = limitsOf({ only: calendarWindow({ limit: 2, unit, timezone: 'Europe/Berlin' }) });
    await table.newStore().take({ ...limits, nowMs: Date.parse(ahead) }, 1);
    await store.peek({ ...limits, nowMs: Date.parse(now) });
    expect(await store.take({ ...limits, nowMs: Date.parse(now) }, 1)).toMatchObject({
      taken: true,
      states: [{ used: 2 }],
    });
  },
);

test('a bucket that a wrong clock began is empty as of now, and refills from there', async () => {
  const table = newTable();
  const limits = limitsOf({ burst: bucket });
  const ahead = { ...limits, nowMs: nowMs + maxClockSkewMs + 86_400_000 };
  await table.newStore().take(ahead, 1);
  expect((await table.newStore().take(limits, 1)).taken).toBe(false);
  expect((await table.newStore().take({ ...limits, nowMs: nowMs + 999 }, 1)).taken).toBe(false);
  expect((await table.newStore().take({ ...limits, nowMs: nowMs + 1000 }, 1)).taken).toBe(true);
});

test.each([
  { name: 'burst.tat', value: { S: 'x' } },
  { name: 'burst.rate', value: { N: '1' } },
  { name: 'burst.since', value: { S: 'x' } },
  { name: `second.${nowMs}+1000`, value: { S: 'x' } },
  { name: 'blockedUntil', value: { BOOL: true } },
  { name: 'expiresAt', value: { S: 'soon' } },
])('an item whose $name cannot be read is an error, never an answer, until it is mended', async ({ name, value }) => {
  const table = newTable();
  const limits = limitsOf({ burst: bucket, second });
  const whole = {
    pk: { S: 'api:acme' },
    'burst.tat': { N: String(nowMs + 1000) },
    'burst.rate': { S: '1/1000' },
    'burst.since': { N: String(nowMs) },
    'burst.given': { N: '0' },
  };
  await table.put({ ...whole, [name]: value });
  const store = table.newStore();
  await expect(store.take(limits, 1)).rejects.toThrow(CorruptItemError);
  await expect(store.charge(limits, 1)).rejects.toThrow(CorruptItemError);
  await table.put(whole);
  expect((await store.take(limits, 1)).taken).toBe(true);
});
