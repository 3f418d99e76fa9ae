import { type RateLimiterAbstract, RateLimiterDynamo, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { newClient } from './client.ts';
import { type Contender, WrongResultError } from './contender.ts';
import { type Ask, limiterContender } from './limiter-contender.ts';
import { meter } from './meter.ts';
import { newRedisClient } from './redis-client.ts';
import { rateLimiterTable } from './tables.ts';

/** The contenders that others of the same endpoint are compared with. */
export const rateLimiterKeys = { DynamoDB: 'rlf-dynamodb', Redis: 'rlf-redis' } as const;

const name = 'rate-limiter-flexible consume';
const algorithm = 'fixed window';
const duration = 86_400;

/**
 * npm's rate-limiter-flexible on DynamoDB, one consume per reservation. Tuned by its own options: no creation of the
 * table, no question about TTL, and what is over the limit is refused from memory, which spares it the calls of denials.
 */
export function rateLimiterOnDynamoDb(endpoint: string, reservationsPerAccount: number): Contender {
  const client = newClient(endpoint);
  const open = (limit: number) =>
    new RateLimiterDynamo({
      storeClient: client,
      tableName: rateLimiterTable,
      tableCreated: true,
      ttlSet: true,
      points: limit,
      duration,
      inMemoryBlockOnConsumed: limit,
    });
  return limiterContender({
    key: rateLimiterKeys.DynamoDB,
    name,
    algorithm,
    endpoint: 'DynamoDB',
    baseline: rateLimiterKeys.DynamoDB,
    reservationsPerAccount,
    widths: [8, 16, 32],
    takeTally: meter(client),
    open: (limit) => askOf(open(limit)),
    verify: (accountId, limit) => verifyCounter(open(limit), accountId, limit),
    close: () => client.destroy(),
  });
}

/** The same on Redis: one script per consume. */
export async function rateLimiterOnRedis(url: string, reservationsPerAccount: number): Promise<Contender> {
  const { client, takeTally, close } = await newRedisClient(url);
  const open = (limit: number) =>
    new RateLimiterRedis({ storeClient: client, points: limit, duration, inMemoryBlockOnConsumed: limit });
  return limiterContender({
    key: rateLimiterKeys.Redis,
    name,
    algorithm,
    endpoint: 'Redis',
    baseline: rateLimiterKeys.Redis,
    reservationsPerAccount,
    widths: [8, 32, 128],
    takeTally,
    open: (limit) => askOf(open(limit)),
    verify: (accountId, limit) => verifyCounter(open(limit), accountId, limit),
    close,
  });
}

async function verifyCounter(limiter: RateLimiterAbstract, accountId: string, limit: number): Promise<void> {
  const consumed = (await limiter.get(accountId))?.consumedPoints ?? 0;
  if (consumed < limit) throw new WrongResultError(name, accountId, `its counter says ${consumed} of ${limit}`);
}

/** Consumes one point for each reservation, all at once. */
function askOf(limiter: RateLimiterAbstract): Ask {
  return async (accountId, reservations) => {
    const consumed = await Promise.all(Array.from({ length: reservations }, () => consumes(limiter, accountId)));
    return consumed.filter((isAllowed) => isAllowed).length;
  };
}

async function consumes(limiter: RateLimiterAbstract, accountId: string): Promise<boolean> {
  try {
    await limiter.consume(accountId);
    return true;
  } catch (refused) {
    if (refused instanceof RateLimiterRes) return false;
    throw refused;
  }
}
