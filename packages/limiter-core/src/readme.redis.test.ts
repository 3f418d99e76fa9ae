import { type Redis, startRedis } from '@usher/loopback/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exampleAt, readme, shownAs } from './testing/readme.ts';

let redis: Redis;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

test('the README shows redis.ts as it is, and what it prints', async () => {
  const example = exampleAt(new URL('./examples/redis.ts', import.meta.url));
  expect(readme).toContain(await shownAs(example, { REDIS_URL: redis.url }));
});
