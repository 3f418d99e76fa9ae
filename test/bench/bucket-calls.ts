import { createLimiter, type Limiter, type Strategy } from '@usher/limiter-core';
import { dynamoDb } from '@usher/limiter-core/dynamodb';
import { type FakeTrip, fakeDynamoDb } from '@usher/loopback/testing';
import { virtualTime } from './virtual-time.ts';

/** Processes that check one key, at random instants, as often as a share of what is refilled. */
export interface CallsCase {
  readonly strategy: Strategy;
  readonly processes: number;
  /** Checks per second, of all processes together. */
  readonly demandPerSecond: number;
  readonly checks: number;
  readonly seed: number;
}

/** The calls that a case took. */
export interface Calls {
  readonly allowed: number;
  readonly refused: number;
  readonly calls: number;
  /** The calls that are reads. */
  readonly reads: number;
}

/** A call's time to the table; its answer takes as long back. */
const oneWayMs = 3;
const startMs = Date.parse('2026-11-29T12:00:00.000Z');

/**
 * Counts the calls of processes that share a DynamoDB and nothing else, in virtual time: the same seed gives the same
 * calls. The table tells the item of a refused condition, as AWS does and dynalite does not.
 */
export async function countCalls({ strategy, processes, demandPerSecond, checks, seed }: CallsCase): Promise<Calls> {
  const time = virtualTime(startMs);
  const random = randomFrom(seed);
  let [calls, reads] = [0, 0];
  const trip: FakeTrip = async (operation, serve) => {
    calls += 1;
    if (operation === 'GetItem') reads += 1;
    await time.sleep(oneWayMs);
    const answer = serve();
    await time.sleep(oneWayMs);
    return answer;
  };
  const table = fakeDynamoDb([{ tableName: 'limits', partitionKey: 'pk' }], { trip });
  const client = table.client();
  const limiters = Array.from({ length: processes }, () =>
    createLimiter({
      strategy,
      store: dynamoDb({ tableName: 'limits', client, refusalCacheMs: 0 }),
      clock: time.clock,
      // No deadline: the table always answers.
      delay: () => new Promise(() => undefined),
    }),
  );
  const arrive = async (limiter: Limiter, afterMs: number): Promise<boolean> => {
    await time.sleep(afterMs);
    return (await limiter.check('key')).allowed;
  };
  let atMs = 0;
  const arrivals = Array.from({ length: checks }, () => {
    // Independent callers: the time to the next one is exponential.
    atMs += Math.round((-Math.log(1 - random()) * 1000) / demandPerSecond);
    const limiter = limiters[Math.floor(random() * processes)];
    if (limiter === undefined) throw new RangeError('There must be at least one process.');
    return arrive(limiter, atMs);
  });
  try {
    const decisions = await time.runUntil(Promise.all(arrivals));
    const allowed = decisions.filter((isAllowed) => isAllowed).length;
    return { allowed, refused: checks - allowed, calls, reads };
  } finally {
    client.destroy();
  }
}

/** Numbers in [0, 1) from a seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
