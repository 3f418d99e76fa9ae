import type { Contender } from './contender.ts';
import { luaBucket } from './lua-bucket.ts';
import { memoryContender } from './memory-contender.ts';
import { rateLimiterOnDynamoDb, rateLimiterOnRedis } from './rate-limiter-flexible.ts';
import { readThenPut } from './read-then-put.ts';
import { usherOnDynamoDb, usherOnRedis } from './usher-check.ts';
import { usherSettle } from './usher-settle.ts';

/** The decisions of a round; of what decides about accounts, those of each. */
export interface RoundSizes {
  readonly memory: number;
  readonly consume: number;
  readonly redis: number;
  readonly batch: number;
  readonly settle: number;
  readonly settleSingle: number;
}

export interface Endpoints {
  readonly dynamoDb: string;
  readonly redis: string;
}

/** The live keys of the contenders in memory: few, as of a test, and many. */
export const liveKeys = { few: 20, many: 1_000_000 } as const;

/** Every contender, those of one endpoint one after the other, in the order of the table. */
export async function contendersOn(endpoints: Endpoints, sizes: RoundSizes): Promise<Contender[]> {
  return [
    ...(await inMemory(sizes)),
    ...onDynamoDb(endpoints.dynamoDb, sizes),
    ...(await onRedis(endpoints.redis, sizes)),
  ];
}

async function inMemory({ memory: decisions }: RoundSizes): Promise<Contender[]> {
  const made: Contender[] = [];
  for (const keys of [liveKeys.few, liveKeys.many]) {
    const usher = { name: 'Usher checkSync', liveKeys: keys, decisions };
    made.push(
      await memoryContender({ ...usher, limiter: 'checkSyncBucket', algorithm: 'token bucket' }),
      await memoryContender({ ...usher, limiter: 'checkSyncWindow', algorithm: 'fixed window' }),
      await memoryContender({ ...usher, name: 'Usher check', limiter: 'checkBucket', algorithm: 'token bucket' }),
      await memoryContender({
        ...usher,
        name: 'rate-limiter-flexible consume',
        limiter: 'rateLimiterFlexible',
        algorithm: 'fixed window',
      }),
    );
  }
  return made;
}

function onDynamoDb(endpoint: string, sizes: RoundSizes): Contender[] {
  const single = { batch: 1, reservationsPerAccount: sizes.consume };
  const batches = [10, 100, 1_000].map((batch) => ({ batch, reservationsPerAccount: Math.max(batch, sizes.batch) }));
  return [
    usherOnDynamoDb(endpoint, { ...single, strategy: 'token bucket' }),
    usherOnDynamoDb(endpoint, { ...single, strategy: 'fixed window' }),
    usherOnDynamoDb(endpoint, { ...single, strategy: 'sliding window' }),
    rateLimiterOnDynamoDb(endpoint, sizes.consume),
    readThenPut(endpoint, sizes.consume),
    ...batches.map((batch) => usherOnDynamoDb(endpoint, { ...batch, strategy: 'token bucket' })),
    usherSettle(endpoint, {
      name: 'Usher settle, 10 chunks of an account',
      shape: { accounts: 1, chunksPerAccount: 10 },
      reservationsPerAccount: sizes.settle,
    }),
    usherSettle(endpoint, {
      name: 'Usher settle, 1 chunk of each of 10 accounts',
      shape: { accounts: 10, chunksPerAccount: 1 },
      reservationsPerAccount: sizes.settle,
    }),
    usherSettle(endpoint, {
      name: 'Usher settle, 1 chunk',
      shape: { accounts: 1, chunksPerAccount: 1 },
      reservationsPerAccount: sizes.settleSingle,
    }),
  ];
}

async function onRedis(url: string, { redis: reservationsPerAccount }: RoundSizes): Promise<Contender[]> {
  const usher = { batch: 1, reservationsPerAccount };
  return [
    await usherOnRedis(url, { ...usher, strategy: 'token bucket' }),
    await usherOnRedis(url, { ...usher, strategy: 'fixed window' }),
    await rateLimiterOnRedis(url, reservationsPerAccount),
    await luaBucket(url, reservationsPerAccount),
  ];
}
