import { Limiter } from '@usher/limiter-core/bulk';
import { DynamoDbBucketStore } from '@usher/limiter-core/bulk/dynamodb';
import { tableName } from '@usher/local-stack';
import { expect, test } from 'vitest';
import { startWorld } from '../support/world.ts';

test('case 47: limiter login with key eu#acme and limiter login#eu with key acme have two buckets', async () => {
  const { clients, clock } = await startWorld();
  const rate = { burst: 1, refillPerSecond: 1 };
  const limiter = (name: string) =>
    new Limiter({ store: new DynamoDbBucketStore({ client: clients.dynamoDb, tableName, name }), rate, clock });
  const pairs = [
    ['login', 'eu#acme'],
    ['login#eu', 'acme'],
    ['login%23eu', 'acme'],
    ['login', 'eu%23acme'],
    ['login', '\ud800'],
    ['login', '\ud801'],
    ['login', '\ufffd'],
  ] as const;
  for (const [name, key] of pairs) expect((await limiter(name).check(key, 1)).kind).toBe('allowed');
  for (const [name, key] of pairs) expect((await limiter(name).check(key, 1)).kind).toBe('not_yet');
});
