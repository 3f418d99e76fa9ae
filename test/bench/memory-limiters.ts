import { createLimiter, fixedWindow, tokenBucket } from '@usher/limiter-core';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/**
 * A limiter in this process's memory, called as its users call it: decides about one key after the other and answers how
 * many it allowed.
 */
export type DecideInMemory = (keys: readonly string[]) => number | Promise<number>;

const dayMs = 86_400_000;

/** The limiters by the names that a process is told. */
export const memoryLimiters = {
  checkSyncWindow: (limit: number): DecideInMemory => {
    const limiter = createLimiter({ strategy: fixedWindow({ limit, windowMs: dayMs }) });
    return countSync((key) => limiter.checkSync(key).allowed);
  },
  checkSyncBucket: (limit: number): DecideInMemory => {
    const limiter = createLimiter({ strategy: tokenBucket({ capacity: limit, refillPerSecond: limit / 86_400 }) });
    return countSync((key) => limiter.checkSync(key).allowed);
  },
  checkBucket: (limit: number): DecideInMemory => {
    const limiter = createLimiter({ strategy: tokenBucket({ capacity: limit, refillPerSecond: limit / 86_400 }) });
    return count(async (key) => (await limiter.check(key)).allowed);
  },
  rateLimiterFlexible: (limit: number): DecideInMemory => {
    const limiter = new RateLimiterMemory({ points: limit, duration: dayMs / 1000 });
    return count(async (key) => {
      try {
        await limiter.consume(key);
        return true;
      } catch (refused) {
        if (refused instanceof RateLimiterRes) return false;
        throw refused;
      }
    });
  },
} as const;

export type MemoryLimiterName = keyof typeof memoryLimiters;

function countSync(isAllowed: (key: string) => boolean): DecideInMemory {
  return (keys) => {
    let allowed = 0;
    for (const key of keys) if (isAllowed(key)) allowed += 1;
    return allowed;
  };
}

function count(isAllowed: (key: string) => Promise<boolean>): DecideInMemory {
  return async (keys) => {
    let allowed = 0;
    for (const key of keys) if (await isAllowed(key)) allowed += 1;
    return allowed;
  };
}
