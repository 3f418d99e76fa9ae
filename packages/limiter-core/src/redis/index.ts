import { InvalidArgumentError } from '../errors.ts';
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
  const { client, prefix = '' } = options;
  if (typeof client?.evalScript !== 'function' || typeof client.evalSha1 !== 'function') {
    throw new InvalidArgumentError('client must be made by nodeRedis, ioRedis or upstashRedis, or have their methods');
  }
  if (typeof prefix !== 'string') throw new InvalidArgumentError(`prefix must be a string (was ${String(prefix)})`);
  return new RedisStore(options);
}
