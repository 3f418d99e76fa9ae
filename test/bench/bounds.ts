import { liveKeys } from './contenders.ts';
import { memoryKey } from './memory-contender.ts';
import type { Bounds } from './summary.ts';

/** Every limiter of our own ends a contention at exactly its limit. */
const isExact = true;

/** Decisions per second on DynamoDB, of the limiter per request, as a multiple of rate-limiter-flexible's. */
const onDynamoDb = { isExact, minRatio: 1.5 } as const;

/** A checkSync in memory takes no longer than rate-limiter-flexible's consume. */
const inMemory = { isExact, minRatio: 1 } as const;

/** A check, which answers by a promise as consume does: 1.1 to 1.2 as a rule, with room for a busy machine. */
const byPromise = { isExact, minRatio: 0.9 } as const;

/** A checkSync among a million keys, where both wait for the machine's memory most: 1.1 to 1.7 as a rule, with room for a busy one. */
const amongMany = { isExact, minRatio: 0.85 } as const;

/**
 * The bounds of the lines, by their keys. A ratio of rates depends on the machine, so those far from 1 are bounded well
 * below their usual; a call that the SDK repeats on a busy machine counts too. `measureCosts` bounds calls of settle exactly,
 * ledger included, and the contract suites those of the limiter.
 */
export const bounds: ReadonlyMap<string, Bounds> = new Map<string, Bounds>([
  [memoryKey('checkSyncBucket', liveKeys.few), inMemory],
  [memoryKey('checkSyncBucket', liveKeys.many), amongMany],
  [memoryKey('checkSyncWindow', liveKeys.few), inMemory],
  [memoryKey('checkSyncWindow', liveKeys.many), amongMany],
  [memoryKey('checkBucket', liveKeys.few), byPromise],
  [memoryKey('checkBucket', liveKeys.many), { isExact }],
  ['usher-dynamodb-token-bucket-1', { ...onDynamoDb, maxCallsPer1000: 1_150 }],
  ['usher-dynamodb-fixed-window-1', { ...onDynamoDb, maxCallsPer1000: 1_060 }],
  ['usher-dynamodb-sliding-window-1', { isExact, maxCallsPer1000: 1_150 }],
  ['usher-dynamodb-token-bucket-10', { ...onDynamoDb, maxCallsPer1000: 150 }],
  ['usher-dynamodb-token-bucket-100', { ...onDynamoDb, maxCallsPer1000: 30 }],
  ['usher-dynamodb-token-bucket-1000', { ...onDynamoDb, maxCallsPer1000: 10.1 }],
  ['usher-settle-1x10', { minRatio: 100, maxCallsPer1000: 4.1, maxWriteUnitsPer1000: 14 }],
  ['usher-settle-10x1', { minRatio: 45, maxCallsPer1000: 13.2, maxWriteUnitsPer1000: 22 }],
  ['usher-redis-token-bucket-1', { isExact, maxCallsPer1000: 1_001 }],
  ['usher-redis-fixed-window-1', { isExact, maxCallsPer1000: 1_001 }],
]);
