import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  ResourceNotFoundException,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { beforeEach, expect, test } from 'vitest';
import { type FakeDynamoDb, type FakeTrip, fakeDynamoDb } from './fake-dynamodb.ts';

const table = { tableName: 'limits', partitionKey: 'key' };
const Key = { key: { S: 'a' } };
const TableName = table.tableName;

let fake: FakeDynamoDb;
beforeEach(() => {
  fake = fakeDynamoDb([table]);
});

/** Takes a cost from a bucket whose debt may be 10 at most. */
const take = (cost: number, more: object = {}) =>
  new UpdateItemCommand({
    TableName,
    Key,
    UpdateExpression: 'SET debt = if_not_exists(debt, :none) + :cost REMOVE blocked',
    ConditionExpression: 'attribute_not_exists(debt) OR (debt BETWEEN :none AND :most AND NOT blocked > :none)',
    ExpressionAttributeValues: { ':cost': { N: `${cost}` }, ':none': { N: '0' }, ':most': { N: `${10 - cost}` } },
    ...more,
  });

test('an update is done under its condition, and a read sees it', async () => {
  const client = fake.client();
  const { Attributes } = await client.send(take(4, { ReturnValues: 'ALL_NEW' }));
  expect(Attributes).toEqual({ ...Key, debt: { N: '4' } });
  expect((await client.send(take(6, { ReturnValues: 'UPDATED_NEW' }))).Attributes).toEqual({ debt: { N: '10' } });
  await expect(client.send(take(1))).rejects.toThrow(ConditionalCheckFailedException);
  expect((await client.send(new GetItemCommand({ TableName, Key }))).Item).toEqual({ ...Key, debt: { N: '10' } });
});

test('a refused condition tells the item as it is, where it is asked to', async () => {
  const client = fake.client();
  await client.send(take(10));
  const refused = await client
    .send(take(1, { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }))
    .catch((error) => error);
  expect(refused).toBeInstanceOf(ConditionalCheckFailedException);
  expect(refused.Item).toEqual({ ...Key, debt: { N: '10' } });
  const silent = await client.send(take(1)).catch((error) => error);
  expect(silent.Item).toBeUndefined();
});

test('a refused condition on an item that does not exist tells none', async () => {
  const refused = await fake
    .client()
    .send(
      new UpdateItemCommand({
        TableName,
        Key,
        UpdateExpression: 'SET a = :a',
        ConditionExpression: 'attribute_exists(a)',
        ExpressionAttributeValues: { ':a': { N: '1' } },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    )
    .catch((error) => error);
  expect(refused).toBeInstanceOf(ConditionalCheckFailedException);
  expect(refused.Item).toBeUndefined();
});

test('items are put and deleted, and clients share a table, while two fakes do not', async () => {
  await fake.client().send(new PutItemCommand({ TableName, Item: { ...Key, n: { N: '1' } } }));
  expect((await fake.client().send(new GetItemCommand({ TableName, Key }))).Item).toEqual({ ...Key, n: { N: '1' } });
  const other = fakeDynamoDb([table]).client();
  expect((await other.send(new GetItemCommand({ TableName, Key }))).Item).toBeUndefined();
  await fake.client().send(new DeleteItemCommand({ TableName, Key }));
  expect((await fake.client().send(new GetItemCommand({ TableName, Key }))).Item).toBeUndefined();
});

test('what DynamoDB rejects is rejected: another table, a bad expression, a type that cannot be added to', async () => {
  const client = fake.client();
  await expect(client.send(new GetItemCommand({ TableName: 'other', Key }))).rejects.toThrow(ResourceNotFoundException);
  await expect(client.send(take(1, { UpdateExpression: 'SET debt =' }))).rejects.toThrow('Syntax error');
  await client.send(new PutItemCommand({ TableName, Item: { ...Key, debt: { S: 'x' } } }));
  const adding = { ConditionExpression: 'debt <> :most AND debt <> :none' };
  await expect(client.send(take(1, adding))).rejects.toThrow('incorrect data type');
});

test('capacity is told as AWS counts it', async () => {
  const client = fake.client();
  const Item = { ...Key, text: { S: 'x'.repeat(1_500) } };
  const put = await client.send(new PutItemCommand({ TableName, Item, ReturnConsumedCapacity: 'TOTAL' }));
  expect(put.ConsumedCapacity?.CapacityUnits).toBe(2);
});

test('a trip decides when, and whether, a request reaches the table', async () => {
  const seen: string[] = [];
  const trip: FakeTrip = async (operation, serve) => {
    seen.push(operation);
    const answer = serve();
    if (operation === 'UpdateItem') throw new Error('the answer was lost');
    return answer;
  };
  const client = fakeDynamoDb([table], { trip }).client();
  await expect(client.send(take(1))).rejects.toThrow('the answer was lost');
  expect((await client.send(new GetItemCommand({ TableName, Key }))).Item).toEqual({ ...Key, debt: { N: '1' } });
  expect(seen).toEqual(['UpdateItem', 'GetItem']);
});
