import { globSync } from 'node:fs';
import { hasRedis, installRedis } from './packages/loopback/src/testing/redis-program.ts';

const redisTests = '**/*.redis.test.ts';

/**
 * The test files that a package must leave out here: those that need a Redis server, where there is none, and then it
 * says so. Node alone must be enough to run every other test. With USHER_REQUIRE_REDIS=1, as in CI, none is left out,
 * and without a server they fail.
 */
export function withoutRedis(): string[] {
  if (process.env.USHER_REQUIRE_REDIS === '1' || hasRedis()) return [];
  const { length } = globSync(redisTests, { exclude: ['**/node_modules'] });
  if (length > 0) console.warn(`\nLeft out: ${length} test files need redis-server; ${installRedis}.`);
  return [redisTests];
}
