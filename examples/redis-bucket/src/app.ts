import { createLimiter, memory, tokenBucket } from '@usher/limiter-core';
import { rateLimit } from '@usher/limiter-core/hono';
import { type NodeRedis, nodeRedis, redis } from '@usher/limiter-core/redis';
import { Hono } from 'hono';

export interface AppOptions {
  /** A client of node-redis that is connected. */
  readonly client: NodeRedis;
  readonly capacity: number;
  readonly refillPerSecond: number;
  /** The longest that Redis may take, in milliseconds. */
  readonly deadlineMs: number;
}

/** A service behind a bucket for each caller. While Redis is away each process counts by itself. */
export function createApp({ client, capacity, refillPerSecond, deadlineMs }: AppOptions) {
  const limiter = createLimiter({
    name: 'redis-bucket',
    strategy: tokenBucket({ capacity, refillPerSecond }),
    store: redis({ client: nodeRedis(client) }),
    insurance: memory(),
    deadlineMs,
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
