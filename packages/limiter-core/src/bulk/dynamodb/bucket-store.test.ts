import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CorruptItemError } from '../../errors.ts';
import { bucketStoreContract } from '../bucket-store.contract.ts';
import { noon } from '../testing/build.ts';
import { DynamoDbBucketStore } from './bucket-store.ts';
import { keys } from './keys.ts';
import { type DynaliteTable, startDynaliteTable } from './testing/dynalite-table.ts';

let table: DynaliteTable;
let serial = 0;

beforeAll(async () => {
  table = await startDynaliteTable();
});
afterAll(() => table.close());

/** A store whose buckets no other test has. */
function freshStore(name = `limiter-${serial++}`): DynamoDbBucketStore {
  return new DynamoDbBucketStore({ client: table.client().client, tableName: table.tableName, name });
}

bucketStoreContract('DynamoDbBucketStore', async () => freshStore());

const request = { key: 'acme', cost: 1, rate: { refillPerSecond: 1, burst: 2 }, nowMs: noon };

test('limiters of different names do not share buckets', async () => {
  const [one, other] = [freshStore(), freshStore()];
  expect((await one.take({ ...request, cost: 2 })).taken).toBe(true);
  expect((await other.take({ ...request, cost: 2 })).taken).toBe(true);
});

test('a bucket is kept until it is full again and an hour more', async () => {
  const { client } = table.client();
  const store = freshStore('kept');
  await store.take(request);
  const { Item } = await client.send(
    new GetCommand({ TableName: table.tableName, Key: { ...keys.bucket('kept', 'acme') } }),
  );
  expect(Item?.expiresAt).toBeGreaterThanOrEqual(noon / 1000 + 1 + 3600);
});

test('a bucket that cannot be read is an error, never an answer', async () => {
  const { client } = table.client();
  const Item = { ...keys.bucket('corrupt', 'acme'), tat: 'x' };
  await client.send(new PutCommand({ TableName: table.tableName, Item }));
  await expect(freshStore('corrupt').take(request)).rejects.toThrow(CorruptItemError);
});

test('an error of the table is an error of the store, never an answer', async () => {
  const store = new DynamoDbBucketStore({ client: table.client().client, tableName: 'no-such-table', name: 'x' });
  await expect(store.take(request)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});
