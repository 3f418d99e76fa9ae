import { Leases } from '../limiter/leases.ts';
import { RefusalMemory } from '../limiter/refusal-memory.ts';
import type { LimitStore } from '../limiter/store.ts';
import { assertOptions, type RedisOptions } from './options.ts';
import { RedisStore } from './redis-store.ts';

export type { LeaseOptions } from '../limiter/leases.ts';
export {
  type IoRedis,
  ioRedis,
  type NodeRedis,
  nodeRedis,
  type RedisClient,
  type UpstashRedis,
  upstashRedis,
} from './client.ts';
export type { RedisOptions } from './options.ts';

/**
 * Keeps limits in Redis: tested on 7.0, and written for 5 and newer and what descends from it. Every call is one atomic script on one key, so
 * a cluster needs no hash tags. The server's clock decides, so that processes need not agree on the time. Every key expires
 * with the last of its states, but for a block without end.
 *
 * Redis copies to its replicas after it has answered: a failover may lose the last takes, charges and blocks, and then
 * allows as much once more. `WAIT` would make that rarer, not impossible, and is not used.
 *
 * @throws InvalidArgumentError for an option outside its domain
 */
export function redis(options: RedisOptions): LimitStore {
  assertOptions(options);
  const { refusalCacheMs = 0, refusalCacheSize = 10_000, lease } = options;
  let store: LimitStore = new RedisStore(options);
  if (refusalCacheMs > 0) store = new RefusalMemory(store, { refusalCacheMs, refusalCacheSize });
  return lease === undefined ? store : new Leases(store, lease);
}
