import { type Redis as RedisServer, startRedis } from '@usher/loopback/testing';
import { Redis, type RedisOptions } from 'ioredis';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { systemClock, virtualClock } from '../clock.ts';
import { CorruptItemError } from '../errors.ts';
import { StoreUnavailableError } from '../limiter/errors.ts';
import type { Limits, Seen } from '../limiter/store.ts';
import { tokenBucket } from '../limiter/strategies/bucket.ts';
import { slidingWindow } from '../limiter/strategies/sliding-window.ts';
import type { State, Strategy } from '../limiter/strategies/strategy.ts';
import { calendarWindow, fixedWindow } from '../limiter/strategies/window.ts';
import { ioRedis, type RedisClient, redis } from './index.ts';
import { blockField, endlessMs, keepWithClockMs } from './script.ts';

let server: RedisServer;
let client: Redis;

beforeAll(async () => {
  server = await startRedis();
  client = new Redis(server.url);
});

afterAll(async () => {
  await client.quit();
  await server.stop();
});

beforeEach(async () => {
  await client.flushall();
});

const storedKey = 'limits:api:k';
const dayMs = 86_400_000;

function limitsOf(strategies: Readonly<Record<string, Strategy>>, nowMs: number = systemClock()): Limits {
  const policies = Object.entries(strategies).map(([name, strategy]) => ({ name, strategy }));
  return { limiter: 'api', key: 'k', policies, nowMs };
}

/** Counts calls, so that a test sees what was asked twice. */
function counted(): { readonly client: RedisClient; readonly calls: () => number } {
  const inner = ioRedis(client);
  let calls = 0;
  const call = <T>(run: () => T): T => {
    calls += 1;
    return run();
  };
  return {
    client: {
      evalScript: (...args) => call(() => inner.evalScript(...args)),
      evalSha1: (...args) => call(() => inner.evalSha1(...args)),
    },
    calls: () => calls,
  };
}

async function serverNowMs(): Promise<number> {
  const [seconds, microseconds] = await client.time();
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
}

test('the server decides on the time, whatever the caller takes for it', async () => {
  const store = redis({ client: ioRedis(client) });
  const limits = limitsOf({ a: tokenBucket({ capacity: 2, refillPerSecond: 0.001 }) }, 12_345);
  const beforeMs = await serverNowMs();
  const { nowMs, states } = await store.take(limits, 1);
  expect(nowMs).toBeGreaterThanOrEqual(beforeMs);
  expect(nowMs).toBeLessThanOrEqual(await serverNowMs());
  expect(states).toMatchObject([{ sinceMs: nowMs }]);
});

test('a key is a hash of its limiter and key, below the prefix; a long key is named by its hash', async () => {
  const store = redis({ client: ioRedis(client), prefix: 'mine/' });
  const limits = limitsOf({ a: fixedWindow({ limit: 2, windowMs: dayMs }) });
  await store.take(limits, 1);
  await store.take({ ...limits, key: 'ü'.repeat(513) }, 1);
  const keys = await client.keys('*');
  expect(keys.sort()).toEqual([
    expect.stringMatching(/^mine\/api:k$/),
    expect.stringMatching(/^mine\/api~[0-9a-f]{64}$/),
  ]);
});

test('each write sets an expiry to the last instant at which a state matters', async () => {
  const startMs = Math.ceil(systemClock() / dayMs) * dayMs;
  const clock = virtualClock(startMs);
  const store = redis({ client: ioRedis(client), clock });
  const slow = tokenBucket({ capacity: 100, refillPerSecond: 0.001 });
  const day = fixedWindow({ limit: 5, windowMs: dayMs });
  const sliding = slidingWindow({ limit: 5, windowMs: dayMs });

  await store.take(limitsOf({ slow }), 10);
  await expectTtl(10_000_000);
  await store.take(limitsOf({ day }), 1);
  await expectTtl(dayMs);
  clock.advance(20_000_000);
  await store.take(limitsOf({ sliding }), 1);
  await expectTtl(2 * dayMs - 20_000_000);
  const taken = await store.take(limitsOf({ sliding }), 1);
  await store.giveBack(limitsOf({ sliding }), 1, statesOf(taken));
  await expectTtl(2 * dayMs - 20_000_000);
  await store.giveBack(limitsOf({ sliding }), 1, statesOf(taken));
  await expectTtl(dayMs - 20_000_000);
  await store.charge(limitsOf({ slow }), 500);
  await expectTtl(500_000_000);
  await store.giveBack(limitsOf({ slow }), 500, statesOf(await store.charge(limitsOf({ slow }), 0)));
  await expectTtl(dayMs - 20_000_000);
});

test('a key whose states have passed is gone, and a full limit with it', async () => {
  const store = redis({ client: ioRedis(client) });
  await store.take(limitsOf({ fast: tokenBucket({ capacity: 1, refillPerSecond: 100_000 }) }), 1);
  await expect.poll(() => client.exists(storedKey)).toBe(0);
});

test('with a clock of the caller a key is kept for an hour at least', async () => {
  const clock = virtualClock(0);
  const store = redis({ client: ioRedis(client), clock });
  await store.take(limitsOf({ short: fixedWindow({ limit: 1, windowMs: 10 }) }), 1);
  await expectTtl(keepWithClockMs);
});

test('a refusal and a look write nothing', async () => {
  const clock = virtualClock(1_700_000_000_000);
  const store = redis({ client: ioRedis(client), clock });
  const limits = limitsOf({
    bucket: tokenBucket({ capacity: 2, refillPerSecond: 1 }),
    day: fixedWindow({ limit: 1, windowMs: dayMs }),
  });
  expect(await store.take(limits, 2)).toMatchObject({ taken: false, states: [undefined, undefined] });
  await store.peek(limits);
  expect(await client.exists(storedKey)).toBe(0);
  await store.take(limits, 1);
  const before = await client.hgetall(storedKey);
  await client.pexpire(storedKey, 1_000_000);
  clock.advance(500);
  expect(await store.take(limits, 1)).toMatchObject({ taken: false });
  await store.peek(limits);
  expect(await client.hgetall(storedKey)).toEqual(before);
  await expectTtl(1_000_000);
});

test('a policy that is not asked for now keeps its state', async () => {
  const store = redis({ client: ioRedis(client) });
  const [day, other] = [fixedWindow({ limit: 1, windowMs: dayMs }), slidingWindow({ limit: 1, windowMs: dayMs })];
  await store.take(limitsOf({ day }), 1);
  expect(await store.take(limitsOf({ other }), 1)).toMatchObject({ taken: true });
  expect(await store.take(limitsOf({ day }), 1)).toMatchObject({ taken: false });
});

test('a block outlives what is taken, charged and given back, and ends by the server’s time', async () => {
  const store = redis({ client: ioRedis(client) });
  const limits = limitsOf({ fast: tokenBucket({ capacity: 10, refillPerSecond: 1_000 }) }, 50_000);
  await store.block(limits, 50_000 + dayMs);
  await expectTtl(dayMs);
  expect(await store.take(limits, 1)).toMatchObject({ taken: false });
  const { states, blockedUntilMs, nowMs } = await store.charge(limits, 1);
  expect(blockedUntilMs).toBeGreaterThan(nowMs + dayMs - 60_000);
  expect(blockedUntilMs).toBeLessThanOrEqual(nowMs + dayMs);
  await store.giveBack(limits, 1, statesOf({ states }));
  await expectTtl(dayMs);
  expect(await store.take(limits, 1)).toMatchObject({ taken: false, blockedUntilMs });
  await store.block(limits, 50_000);
  expect(await store.take(limits, 1)).toMatchObject({ taken: true, blockedUntilMs: 0 });
});

test('a block that is ended leaves the expiry to the states', async () => {
  const clock = virtualClock(dayMs);
  const store = redis({ client: ioRedis(client), clock });
  const limits = limitsOf({ day: fixedWindow({ limit: 5, windowMs: dayMs }) }, dayMs);
  await store.take(limits, 1);
  await store.block(limits, 11 * dayMs);
  await expectTtl(10 * dayMs);
  await store.block(limits, dayMs);
  await expectTtl(dayMs);
});

test('a block without end has no expiry, and a later one has', async () => {
  const store = redis({ client: ioRedis(client) });
  const limits = limitsOf({ fast: tokenBucket({ capacity: 10, refillPerSecond: 1_000 }) });
  await store.charge(limits, 3);
  expect(await client.pttl(storedKey)).not.toBe(-1);
  await store.block(limits, endlessMs);
  expect(await client.pttl(storedKey)).toBe(-1);
  await store.charge(limits, 3);
  expect(await client.pttl(storedKey)).toBe(-1);
  expect(await store.take(limits, 1)).toMatchObject({ taken: false, blockedUntilMs: endlessMs });
  await store.block(limits, limits.nowMs + 60_000);
  await expectTtl(60_000);
  await store.delete(limits);
  expect(await client.exists(storedKey)).toBe(0);
});

test('a bucket that a wrong clock began is empty as of the first refusal, and fills from then on', async () => {
  const clock = virtualClock(1_700_000_000_000);
  const store = redis({ client: ioRedis(client), clock });
  const limits = limitsOf({ a: tokenBucket({ capacity: 10, refillPerSecond: 1 }) });
  clock.advance(dayMs);
  await store.take(limits, 1);
  clock.advance(-dayMs);
  expect(await store.take(limits, 1)).toMatchObject({ taken: false });
  clock.advance(999);
  expect(await store.take(limits, 1)).toMatchObject({ taken: false });
  clock.advance(1);
  expect(await store.take(limits, 1)).toMatchObject({ taken: true });
});

test('the first call of a calendar, and one after its turn, ask twice; others once', async () => {
  const watched = counted();
  const store = redis({ client: watched.client });
  const day = calendarWindow({ limit: 5, unit: 'day', timezone: 'Pacific/Auckland' });
  // The caller's clock is days off: its day is not the server's.
  const wrong = { ...limitsOf({ day }), nowMs: systemClock() - 3 * dayMs };
  await client.script('FLUSH');
  const { states, nowMs } = await store.take(wrong, 1);
  expect(states).toEqual([{ kind: 'window', ...day.spanAt(nowMs), used: 1 }]);
  expect(watched.calls()).toBe(3); // evalsha, eval, and evalsha with the right day
  await store.take({ ...wrong, nowMs: systemClock() - 3 * dayMs }, 1);
  expect(watched.calls()).toBe(4);
  // As at midnight: the caller's clock has moved to another day, the server's has not.
  const { states: after } = await store.take({ ...wrong, nowMs: systemClock() - 2 * dayMs }, 1);
  expect(after).toEqual([{ kind: 'window', ...day.spanAt(nowMs), used: 3 }]);
  expect(watched.calls()).toBe(6);
});

test.each([
  ['bucket', 'b 1700000000000 1700000000000 0 1 200 '],
  ['bucket', 'b 1.7e12 1700000000000 0 1 200'],
  ['bucket', 'b 1700000000000 1700000000000 0 1'],
  ['bucket', 'b 1700000000000 1700000000000 0 0x1 200'],
  ['bucket', 'b 1700000000000 1700000000000 0 0 200'],
  ['bucket', 'b 1700000000000 1700000000000 0 1 0'],
  ['bucket', 'w 1700000000000 1700000000001 -1'],
  ['bucket', 'x 1 2 3'],
  ['bucket', ''],
  ['other', 'w 1 2'],
  [blockField, 'soon'],
  [blockField, '1e3'],
])('a value that nobody wrote is told, and nothing is done: %s = %j', async (field, value) => {
  const store = redis({ client: ioRedis(client) });
  const limits = limitsOf({ bucket: tokenBucket({ capacity: 10, refillPerSecond: 5 }) });
  await client.hset(storedKey, field, value);
  const take = store.take(limits, 1);
  await expect(take).rejects.toThrow(`${storedKey} cannot be read: ${field} is not in its form`);
  await expect(take).rejects.toBeInstanceOf(CorruptItemError);
  await expect(store.charge(limits, 1)).rejects.toBeInstanceOf(CorruptItemError);
  await expect(store.block(limits, limits.nowMs + 1_000)).rejects.toBeInstanceOf(CorruptItemError);
  expect(await client.hgetall(storedKey)).toEqual({ [field]: value });
  await store.delete(limits);
  expect(await store.take(limits, 1)).toMatchObject({ taken: true });
});

test('a refusal is remembered where that is asked for, by the server’s time', async () => {
  const watched = counted();
  const store = redis({ client: watched.client, refusalCacheMs: 60_000 });
  // A caller whose clock is hours off.
  const limits = limitsOf({ a: tokenBucket({ capacity: 1, refillPerSecond: 0.001 }) }, systemClock() - 10_000_000);
  await store.take(limits, 1);
  const refused = await store.take(limits, 1);
  const calls = watched.calls();
  expect(await store.take({ ...limits, nowMs: limits.nowMs + 500 }, 1)).toEqual({
    ...refused,
    nowMs: refused.nowMs + 500,
  });
  expect(watched.calls()).toBe(calls);
});

test('a lease serves checks without a call', async () => {
  const watched = counted();
  const store = redis({ client: watched.client, lease: { size: 10, maxAgeMs: 60_000 } });
  const limits = limitsOf({ day: fixedWindow({ limit: 100, windowMs: 1_000_000_000 }) });
  for (let i = 0; i < 10; i++) expect(await store.take(limits, 1)).toMatchObject({ taken: true });
  expect(watched.calls()).toBeLessThanOrEqual(2);
  expect(await redis({ client: ioRedis(client) }).peek(limits)).toMatchObject({ states: [{ used: 10 }] });
});

test('a user without permission, or without a password, is told as such', async () => {
  await client.call('ACL', 'SETUSER', 'reader', 'on', '>secret', '~*', '+@read');
  const limits = limitsOf({ a: fixedWindow({ limit: 1, windowMs: dayMs }) });
  const reader = connect({ username: 'reader', password: 'secret', enableReadyCheck: false });
  await expectThrown(redis({ client: ioRedis(reader) }).take(limits, 1), 'NOPERM');

  await client.config('SET', 'requirepass', 'secret');
  try {
    const unknown = connect({ enableReadyCheck: false });
    await expectThrown(redis({ client: ioRedis(unknown) }).take(limits, 1), 'NOAUTH');
  } finally {
    await client.config('SET', 'requirepass', '');
  }
});

test('a replica is unavailable: it may not be written to, or has lost its master', async () => {
  const limits = limitsOf({ a: fixedWindow({ limit: 1, windowMs: dayMs }) });
  const replica = await startRedis();
  onTestFinished(replica.stop);
  const its = connect({}, replica.port);
  await its.ping();
  await its.replicaof('127.0.0.1', 1);
  const store = redis({ client: ioRedis(its) });
  await expectUnavailable(store.take(limits, 1), 'READONLY');
  await its.config('SET', 'replica-serve-stale-data', 'no');
  await expectUnavailable(store.peek(limits), 'MASTERDOWN');
});

test('a server that is gone is unavailable, with what the client said as the cause', async () => {
  const gone = await startRedis();
  const its = connect({ maxRetriesPerRequest: 0 }, gone.port);
  await its.ping();
  await gone.stop();
  const limits = limitsOf({ a: fixedWindow({ limit: 1, windowMs: dayMs }) });
  const take = redis({ client: ioRedis(its) }).take(limits, 1);
  await expectUnavailable(take, 'max retries');
  await expect(take).rejects.toMatchObject({ cause: { name: 'MaxRetriesPerRequestError' } });
});

function statesOf({ states }: Pick<Seen, 'states'>): State[] {
  return states.filter((state) => state !== undefined);
}

type Connecting = Pick<RedisOptions, 'username' | 'password' | 'enableReadyCheck' | 'maxRetriesPerRequest'>;

function connect(options: Connecting, port: number = server.port): Redis {
  const made = new Redis({ host: '127.0.0.1', port, ...options });
  made.on('error', () => undefined);
  onTestFinished(() => made.disconnect());
  return made;
}

async function expectThrown(call: Promise<unknown>, message: string): Promise<void> {
  await expect(call).rejects.toThrow(message);
  await expect(call).rejects.not.toBeInstanceOf(StoreUnavailableError);
}

async function expectUnavailable(call: Promise<unknown>, message: string): Promise<void> {
  await expect(call).rejects.toThrow(message);
  await expect(call).rejects.toBeInstanceOf(StoreUnavailableError);
}

/** Some of the time has passed since it was set, and never more than a slow machine takes for a test. */
async function expectTtl(ms: number): Promise<void> {
  const ttlMs = await client.pttl(storedKey);
  expect(ttlMs).toBeLessThanOrEqual(ms);
  expect(ttlMs).toBeGreaterThan(ms - 60_000);
}
