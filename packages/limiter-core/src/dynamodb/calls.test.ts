import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LimitStore, Limits, Policy } from '../limiter/store.ts';
import { tokenBucket } from '../limiter/strategies/bucket.ts';
import { slidingWindow } from '../limiter/strategies/sliding-window.ts';
import { calendarWindow, fixedWindow } from '../limiter/strategies/window.ts';
import { randomOf } from '../testing/random.ts';
import { dynamoDb } from './dynamodb.ts';
import type { DynamoDbOptions } from './options.ts';
import { fakeTable, type Request, record, type TestTable } from './testing/tables.ts';

let table: TestTable;
let serial = 0;
beforeAll(async () => {
  table = await fakeTable();
});
afterAll(() => table.close());

interface Counted {
  readonly store: LimitStore;
  readonly requests: Request[];
}

function newStore(options: Partial<DynamoDbOptions> = {}): Counted {
  const client = table.client();
  return { store: dynamoDb({ tableName: table.tableName, client, ...options }), requests: record(client) };
}

const startMs = Date.parse('2026-11-30T12:00:00.250Z');

function limitsOf(strategies: Readonly<Record<string, Policy['strategy']>>): Limits {
  const policies = Object.entries(strategies).map(([name, strategy]) => ({ name, strategy }));
  return { limiter: 'api', key: `key-${serial++}`, policies, nowMs: startMs };
}

/** Takes one after the other, each by one of the processes, at random instants; tells the calls of each allowed one. */
async function callsPerTake(
  limits: Limits,
  { processes, meanGapMs, takes }: { processes: number; meanGapMs: number; takes: number },
): Promise<number> {
  const stores = Array.from({ length: processes }, () => newStore({ refusalCacheMs: 0 }));
  const random = randomOf(7);
  let nowMs = startMs;
  let allowed = 0;
  let calls = 0;
  for (let i = 0; i < takes; i++) {
    nowMs += Math.round(-Math.log(random.int(1, 1000) / 1000) * meanGapMs);
    const counted = stores[random.int(0, processes - 1)];
    if (counted === undefined) throw new Error('no store');
    const before = counted.requests.length;
    const { taken } = await counted.store.take({ ...limits, nowMs }, 1);
    if (!taken) continue;
    allowed++;
    calls += counted.requests.length - before;
  }
  expect(allowed).toBeGreaterThan(takes / 4);
  return calls / allowed;
}

const minute = fixedWindow({ limit: 500, windowMs: 60_000 });
const day = calendarWindow({ limit: 5000, unit: 'day', timezone: 'Europe/Berlin' });

test.each([
  { name: 'a fixed window', strategies: { minute } },
  { name: 'a short window', strategies: { second: fixedWindow({ limit: 20, windowMs: 1000 }) } },
  { name: 'a calendar window', strategies: { day } },
  { name: 'several windows', strategies: { minute, day, hour: fixedWindow({ limit: 2000, windowMs: 3_600_000 }) } },
])('an allowed check of $name is one write, however many processes there are', async ({ strategies }) => {
  for (const processes of [1, 32]) {
    expect(await callsPerTake(limitsOf(strategies), { processes, meanGapMs: 90, takes: 300 })).toBe(1);
  }
});

test.each([10, 72, 1000])('an allowed check of a sliding window of %i is hardly more than one write', async (limit) => {
  for (const processes of [1, 8]) {
    const strategies = { sliding: slidingWindow({ limit, windowMs: 10_000 }) };
    const meanGapMs = 10_000 / (limit * 0.9);
    expect(await callsPerTake(limitsOf(strategies), { processes, meanGapMs, takes: 300 })).toBeLessThanOrEqual(1.1);
  }
});

test.each([0.05, 0.5, 0.9])(
  'an allowed check of a bucket at %d of its refill is one write, from one process',
  async (load) => {
    const strategies = { bucket: tokenBucket({ capacity: 20, refillPerSecond: 10 }) };
    const calls = await callsPerTake(limitsOf(strategies), { processes: 1, meanGapMs: 100 / load, takes: 400 });
    expect(calls).toBeLessThanOrEqual(1.05);
  },
);

test('a refusal is one call and no read, and none while it is remembered', async () => {
  const limits = limitsOf({ bucket: tokenBucket({ capacity: 2, refillPerSecond: 1 }), minute });
  const [other, { store, requests }] = [newStore(), newStore()];
  await other.store.take(limits, 2);
  expect((await store.take(limits, 1)).taken).toBe(false);
  expect(requests.map(({ operation }) => operation)).toEqual(['UpdateItem']);
  expect((await store.take({ ...limits, nowMs: startMs + 999 }, 1)).taken).toBe(false);
  expect(requests).toHaveLength(1);
  expect((await store.take({ ...limits, nowMs: startMs + 1000 }, 1)).taken).toBe(true);
  expect(requests).toHaveLength(2);
});

test('checks of one key at the same time share a write, each with what is left after it', async () => {
  const limits = limitsOf({ bucket: tokenBucket({ capacity: 100, refillPerSecond: 1 }) });
  const { store, requests } = newStore();
  const taken = await Promise.all(Array.from({ length: 64 }, () => store.take(limits, 1)));
  expect(requests).toHaveLength(1);
  const [{ strategy } = {}] = limits.policies;
  const left = taken.map(
    ({ states: [state] }) =>
      strategy?.kind === 'bucket' && strategy.remaining(strategy.current(state, startMs), startMs),
  );
  expect(left).toEqual(Array.from({ length: 64 }, (_, i) => 99 - i));
});

test.each([
  { name: 'a bucket', strategies: { bucket: tokenBucket({ capacity: 40, refillPerSecond: 1 }) } },
  { name: 'a sliding window', strategies: { sliding: slidingWindow({ limit: 40, windowMs: 60_000 }) } },
  { name: 'windows', strategies: { minute: fixedWindow({ limit: 40, windowMs: 60_000 }), day } },
])('$name allows exactly its limit to 64 checks at once from each of eight processes', async ({ strategies }) => {
  const limits = limitsOf(strategies);
  const stores = Array.from({ length: 8 }, () => newStore().store);
  const all = await Promise.all(stores.flatMap((store) => Array.from({ length: 64 }, () => store.take(limits, 1))));
  expect(all.filter(({ taken }) => taken)).toHaveLength(40);
});

test('a key that always meets a new process does not grow', async () => {
  const limits = limitsOf({
    second: fixedWindow({ limit: 5, windowMs: 1000 }),
    sliding: slidingWindow({ limit: 5, windowMs: 1000 }),
  });
  let names = 0;
  let calls = 0;
  for (let i = 0; i < 200; i++) {
    const client = table.client();
    const requests = record(client);
    const store = dynamoDb({ tableName: table.tableName, client });
    expect((await store.take({ ...limits, nowMs: startMs + i * 3_600_000 }, 1)).taken).toBe(true);
    calls += requests.length;
    names = Math.max(names, ...requests.map(({ input }) => JSON.stringify(input).length));
  }
  expect(calls).toBeLessThanOrEqual(200 * 1.15);
  expect(names).toBeLessThan(6000);
});
