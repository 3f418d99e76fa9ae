import {
  createLimiter,
  fixedWindow,
  type LimitStore,
  type Strategy,
  slidingWindow,
  tokenBucket,
} from '@usher/limiter-core';
import { dynamoDb } from '@usher/limiter-core/dynamodb';
import { ioRedis, redis } from '@usher/limiter-core/redis';
import { newClient } from './client.ts';
import type { Contender } from './contender.ts';
import { type Ask, limiterContender } from './limiter-contender.ts';
import { meter } from './meter.ts';
import { rateLimiterKeys } from './rate-limiter-flexible.ts';
import { newRedisClient } from './redis-client.ts';
import { limitsTable } from './tables.ts';

/** The strategies that are measured. A bucket takes a day to fill, so no token returns within a run. */
const strategies = {
  'fixed window': (limit: number) => fixedWindow({ limit, windowMs: 86_400_000 }),
  'sliding window': (limit: number) => slidingWindow({ limit, windowMs: 86_400_000 }),
  'token bucket': (limit: number) => tokenBucket({ capacity: limit, refillPerSecond: limit / 86_400 }),
} as const satisfies Record<string, (limit: number) => Strategy>;

export interface UsherCheckOptions {
  readonly strategy: keyof typeof strategies;
  /** The checks of a key in one `checkMany`. */
  readonly batch: number;
  readonly reservationsPerAccount: number;
}

/** The limiter on DynamoDB, with its defaults but for the deadline: the others have none. */
export function usherOnDynamoDb(endpoint: string, options: UsherCheckOptions): Contender {
  const client = newClient(endpoint);
  return limiterContender({
    ...common(options),
    key: `usher-dynamodb-${options.strategy.replace(' ', '-')}-${options.batch}`,
    endpoint: 'DynamoDB',
    baseline: rateLimiterKeys.DynamoDB,
    widths: options.batch === 1 ? [16, 32, 128] : [2, 8, 32],
    takeTally: meter(client),
    // Its refusals are remembered by the store: each process has one of its own.
    open: (limit) => askOf(dynamoDb({ tableName: limitsTable, client }), options, limit),
    close: () => client.destroy(),
  });
}

/** The limiter on Redis. */
export async function usherOnRedis(url: string, options: UsherCheckOptions): Promise<Contender> {
  const { client, takeTally, close } = await newRedisClient(url);
  return limiterContender({
    ...common(options),
    key: `usher-redis-${options.strategy.replace(' ', '-')}-${options.batch}`,
    endpoint: 'Redis',
    baseline: rateLimiterKeys.Redis,
    widths: [8, 32, 128],
    takeTally,
    open: (limit) => askOf(redis({ client: ioRedis(client) }), options, limit),
    close,
  });
}

function common({ strategy, batch, reservationsPerAccount }: UsherCheckOptions) {
  const name = batch === 1 ? 'Usher check' : `Usher checkMany of ${batch.toLocaleString('en')}`;
  return { name, algorithm: strategy, batch, reservationsPerAccount };
}

const patienceMs = 60_000;

function askOf(store: LimitStore, { strategy, batch }: UsherCheckOptions, limit: number): Ask {
  const limiter = createLimiter({
    name: 'bench',
    strategy: strategies[strategy](limit),
    store,
    deadlineMs: patienceMs,
    failPolicy: 'closed',
  });
  if (batch === 1) return async (key) => ((await limiter.check(key)).allowed ? 1 : 0);
  return async (key, reservations) => {
    const decisions = await limiter.checkMany(Array.from({ length: reservations }, () => ({ key })));
    return decisions.filter(({ allowed }) => allowed).length;
  };
}
