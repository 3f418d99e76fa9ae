import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Redis, startRedis } from '@usher/loopback/testing';
import { createClient } from 'redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from './app.ts';

let redis: Redis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

test('of many requests at once the service answers as many as the bucket holds, and tells the others when to come', async () => {
  const program = fileURLToPath(new URL('start.ts', import.meta.url));
  const env = { ...process.env, REDIS_URL: redis.url };
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env });
  expect(stdout.trim().split('\n')).toEqual([
    '64 × / at once: 10 answered, 54 refused',
    '5 × /health at once: 5 answered, 0 refused',
    expect.stringMatching(/^429 (10000|9\d{3}) .*"violated-policies":\["default"\]/),
  ]);
});

test('two processes share one bucket; without Redis each goes on by itself', async () => {
  const servers = await Promise.all(
    [1, 2].map(async () => {
      const client = createClient({ url: redis.url, disableOfflineQueue: true });
      client.on('error', () => {});
      await client.connect();
      return { client, app: createApp({ client, capacity: 2, refillPerSecond: 0.0001, deadlineMs: 60_000 }) };
    }),
  );
  const connection = { incoming: { socket: { remoteAddress: '203.0.113.7' } } };
  const statuses = async () => {
    const found: number[] = [];
    for (const { app } of [...servers, ...servers]) {
      found.push((await app.request('/', {}, connection)).status);
    }
    return found;
  };
  expect(await statuses()).toEqual([200, 200, 429, 429]);
  for (const { client } of servers) client.destroy();
  expect(await statuses()).toEqual([200, 200, 200, 200]);
});
