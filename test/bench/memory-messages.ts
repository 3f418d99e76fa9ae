import { type } from 'arktype';

/** The messages between a contender in memory and its process. */
export const MemoryProcessArguments = type('string.json.parse').to({
  limiter: "'checkSyncWindow' | 'checkSyncBucket' | 'checkBucket' | 'rateLimiterFlexible'",
  liveKeys: 'number.integer >= 1',
});
export type MemoryProcessArguments = typeof MemoryProcessArguments.infer;

export const MemoryRoundRequest = type({ decisions: 'number.integer >= 1' });

export const MemoryRoundAnswer = type({
  allowed: 'number.integer >= 0',
  seconds: 'number > 0',
  latenciesMs: 'number[]',
});
export type MemoryRoundAnswer = typeof MemoryRoundAnswer.infer;
