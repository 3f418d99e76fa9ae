import type { LimitStore } from '../limiter/store.ts';
import { type RedisOptions, RedisStore } from './redis-store.ts';

export {
  type IoRedis,
  ioRedis,
  type NodeRedis,
  nodeRedis,
  type RedisClient,
  type UpstashRedis,
  upstashRedis,
} from './client.ts';
export type { RedisOptions } from './redis-store.ts';

/** Keeps limits in Redis. */
export function redis(options: RedisOptions): LimitStore {
  return new RedisStore(options);
}
