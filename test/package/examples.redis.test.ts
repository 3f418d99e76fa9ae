import { type Redis, startRedis } from '@usher/loopback/testing';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ages } from './fresh-project.ts';
import { needsRedis, readmeExamples, runExample } from './readme-examples.ts';

const examples = readmeExamples(inject('projects').newest).filter(needsRedis);

test('the README has an example for Redis', () => {
  expect(examples.length).toBeGreaterThanOrEqual(1);
});

describe.each(ages)('in a project with the %s of everything', (age) => {
  const project = inject('projects')[age];
  let redis: Redis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  test.each(examples)('example $name prints what the README says', async (example) => {
    expect(await runExample(example, { project, age, env: { REDIS_URL: redis.url } })).toBe(example.prints);
  });
});
