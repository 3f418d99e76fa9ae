import { type Redis as RedisServer, startRedis } from '@usher/loopback/testing';
import { Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import { limitStoreConformance } from '../limiter/conformance.ts';
import { ioRedis, redis } from './index.ts';

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

limitStoreConformance('redis', async ({ clock }) => {
  await client.flushall();
  return { store: redis({ client: ioRedis(client), clock }) };
});

limitStoreConformance('redis with remembered refusals', async ({ clock }) => {
  await client.flushall();
  return { store: redis({ client: ioRedis(client), clock, refusalCacheMs: 1_000 }) };
});
