import { createLimiter, tokenBucket } from '@usher/limiter-core';
import { limitKeys } from '@usher/limiter-core/bulk/dynamodb';
import { dynamoDb } from '@usher/limiter-core/dynamodb';
import { tableName } from '@usher/local-stack';
import { expect, test } from 'vitest';
import { startWorld } from '../support/world.ts';

test('case 47: limiter login with key eu:acme and limiter login.eu with key acme have two buckets', async () => {
  const { clients, clock } = await startWorld();
  const store = dynamoDb({ client: clients.dynamoDb, tableName, ...limitKeys });
  const strategy = tokenBucket({ capacity: 1, refillPerSecond: 1 });
  const limiter = (name: string) => createLimiter({ name, strategy, store, clock, deadlineMs: 60_000 });
  const pairs = [
    ['login', 'eu:acme'],
    ['login', 'eu#acme'],
    ['login.eu', 'acme'],
    ['login-eu', 'acme'],
    ['login', 'eu%3aacme'],
    ['login', '~acme'],
    ['login', '\ufffd'],
    ['login', 'a'.repeat(2000)],
    ['login', 'a'.repeat(2001)],
  ] as const;
  for (const [name, key] of pairs) expect(await limiter(name).check(key)).toMatchObject({ allowed: true });
  for (const [name, key] of pairs) expect(await limiter(name).check(key)).toMatchObject({ allowed: false });
});
