import { Redis as Upstash } from '@upstash/redis';
import { type Redis, startRedis } from '@usher/loopback/testing';
import { Redis as Io } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { StoreUnavailableError } from '../limiter/errors.ts';
import { tokenBucket } from '../limiter/strategies/bucket.ts';
import { fixedWindow } from '../limiter/strategies/window.ts';
import { ioRedis, nodeRedis, type RedisClient, redis, upstashRedis } from './index.ts';
import { startUpstashBridge, type UpstashBridge } from './testing/upstash-bridge.ts';

let server: Redis;
let bridge: UpstashBridge;

beforeAll(async () => {
  server = await startRedis();
  bridge = await startUpstashBridge(server.url);
});

afterAll(async () => {
  await bridge.close();
  await server.stop();
});

/** Connects and closes each at the end of its test. */
const clients: Record<string, () => Promise<RedisClient>> = {
  'node-redis': async () => {
    const client = createClient({ url: server.url });
    await client.connect();
    onTestFinished(() => client.close());
    return nodeRedis(client);
  },
  ioredis: async () => {
    const client = new Io(server.url);
    onTestFinished(async () => {
      await client.quit();
    });
    return ioRedis(client);
  },
  '@upstash/redis': async () => upstashRedis(new Upstash(bridge)),
  '@upstash/redis without pipelines': async () =>
    upstashRedis(new Upstash({ ...bridge, enableAutoPipelining: false, responseEncoding: false })),
};

const nowMs = 1_700_000_000_000;

/** Ten of cost at once, none of which comes back within the test. */
const policies = [
  { name: 'burst', strategy: tokenBucket({ capacity: 10, refillPerSecond: 0.001 }) },
  { name: 'day', strategy: fixedWindow({ limit: 1_000, windowMs: 86_400_000 }) },
];

describe.each(Object.entries(clients))('%s', (name, connect) => {
  test('a script that the server has not got is sent, and after that only its name', async () => {
    const sent: string[] = [];
    const client = await connect();
    const watched: RedisClient = {
      evalScript: (...args) => {
        sent.push('evalScript');
        return client.evalScript(...args);
      },
      evalSha1: (...args) => {
        sent.push('evalSha1');
        return client.evalSha1(...args);
      },
    };
    await flushScripts();
    const store = redis({ client: watched, clock: () => nowMs });
    const limits = { limiter: 'scripts', key: name, policies, nowMs };
    expect(await store.take(limits, 4)).toMatchObject({ taken: true, nowMs });
    expect(sent).toEqual(['evalSha1', 'evalScript']);
    expect(await store.take(limits, 7)).toMatchObject({ taken: false });
    expect(await store.take(limits, 6)).toMatchObject({ taken: true });
    expect(sent.slice(2)).toEqual(['evalSha1', 'evalSha1']);
    await flushScripts();
    expect(await store.peek(limits)).toMatchObject({ states: [{ kind: 'bucket' }, { kind: 'window', used: 10 }] });
    expect(sent.slice(4)).toEqual(['evalSha1', 'evalScript']);
  });

  test('64 takes at once from each of two clients are exact', async () => {
    const stores = [redis({ client: await connect() }), redis({ client: await connect() })];
    const limits = { limiter: 'contention', key: name, policies, nowMs };
    const answers = await Promise.all(
      Array.from({ length: 64 }, () => stores.map((store) => store.take(limits, 1))).flat(),
    );
    expect(answers.filter(({ taken }) => taken)).toHaveLength(10);
  });

  test('a state comes back to the last digit', async () => {
    const store = redis({ client: await connect(), clock: () => nowMs });
    const strategy = tokenBucket({ capacity: 1, refillPerSecond: 999_000 / 7 });
    const limits = { limiter: 'digits', key: name, policies: [{ name: 'a', strategy }], nowMs };
    const { states } = await store.charge(limits, 1_234_567);
    expect(states).toEqual([strategy.take(strategy.current(undefined, nowMs), nowMs, 1_234_567)]);
    expect((await store.peek(limits)).states).toEqual(states);
  });

  test('a key of another type is told as the mistake that it is', async () => {
    const admin = await adminClient();
    await admin.set(`limits:wrong:${name}`, 'a text');
    const store = redis({ client: await connect() });
    const take = store.take({ limiter: 'wrong', key: name, policies, nowMs }, 1);
    await expect(take).rejects.toThrow('WRONGTYPE');
    await expect(take).rejects.not.toBeInstanceOf(StoreUnavailableError);
    await store.delete({ limiter: 'wrong', key: name, nowMs });
    expect(await admin.exists(`limits:wrong:${name}`)).toBe(0);
  });

  test('a server that has no memory left is unavailable', async () => {
    const admin = await adminClient();
    const store = redis({ client: await connect() });
    await admin.configSet('maxmemory', '1');
    try {
      const take = store.take({ limiter: 'memory', key: name, policies, nowMs }, 1);
      await expect(take).rejects.toBeInstanceOf(StoreUnavailableError);
      await expect(take).rejects.toThrow('OOM');
    } finally {
      await admin.configSet('maxmemory', '0');
    }
  });
});

async function adminClient() {
  const admin = createClient({ url: server.url });
  await admin.connect();
  onTestFinished(() => admin.close());
  return admin;
}

async function flushScripts(): Promise<void> {
  await (await adminClient()).scriptFlush();
}
