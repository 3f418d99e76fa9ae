import { createLimiter, memory, tokenBucket } from '@usher/limiter-core';
import { rateLimit } from '@usher/limiter-core/hono';
import { type NodeRedis, nodeRedis, redis } from '@usher/limiter-core/redis';
import { Hono } from 'hono';

export interface AppOptions {
  /** A client of node-redis that is connected. */
  readonly client: NodeRedis;
  readonly capacity: number;
  readonly refillPerSecond: number;
}

/** A service behind a bucket for each caller. While Redis is away each process counts by itself. */
export function createApp({ client, capacity, refillPerSecond }: AppOptions) {
  const limiter = createLimiter({
    name: 'redis-bucket',
    strategy: tokenBucket({ capacity, refillPerSecond }),
    store: redis({ client: nodeRedis(client) }),
    insurance: memory(),
    deadlineMs: 1000,
  });
  return new Hono()
    .use(
      rateLimit(limiter, {
        skip: (c) => c.req.path === '/health',
        countIf: ({ status }) => status < 500,
      }),
    )
    .get('/health', (c) => c.text('up'))
    .get('/', (c) => c.text('hello'));
}
