import { CreateTableCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { startDynalite } from '@usher/loopback/testing';
import { expect, test } from 'vitest';
import { InvalidArgumentError } from '../errors.ts';
import { dynamoDb } from './dynamodb.ts';
import type { DynamoDbOptions } from './options.ts';
import { tableDefinition } from './table-definition.ts';

test.each<[string, Partial<DynamoDbOptions>]>([
  ['tableName', { tableName: '' }],
  ['prefix', { prefix: 'x'.repeat(513) }],
  ['prefix', { prefix: '\ud800' }],
  ['partitionKey', { partitionKey: '' }],
  ['partitionKey', { partitionKey: 'a.b' }],
  ['sortKey.name', { sortKey: { name: 'pk', value: 'x' } }],
  ['sortKey.value', { sortKey: { name: 'sk', value: '' } }],
  ['ttlAttribute', { ttlAttribute: 'blockedUntil' }],
  ['attempts', { attempts: 0 }],
  ['refusalCacheMs', { refusalCacheMs: -1 }],
  ['refusalCacheSize', { refusalCacheSize: 0 }],
  ['lease.size', { lease: { size: 0, maxAgeMs: 1 } }],
  ['lease.maxAgeMs', { lease: { size: 1, maxAgeMs: Number.NaN } }],
])('an option outside its domain is named: %s', (name, options) => {
  const make = () => dynamoDb({ tableName: 'limits', ...options });
  expect(make).toThrow(InvalidArgumentError);
  expect(make).toThrow(name);
});

test('a client is made where none is given', () => {
  expect(() => dynamoDb({ tableName: 'limits' })).not.toThrow();
});

test('what is no client is named before anything is asked, for it would look like a table that is away', () => {
  for (const client of [{}, null, Promise.resolve(), 'client']) {
    expect(() => Reflect.apply(dynamoDb, undefined, [{ tableName: 'limits', client }])).toThrow(InvalidArgumentError);
  }
});

test('the definition makes a table that the store can use', async () => {
  const { client, close } = await startDynalite();
  try {
    const definition = tableDefinition({ tableName: 'limits', partitionKey: 'key', sortKey: { name: 'kind' } });
    const { TableDescription } = await client().send(new CreateTableCommand(definition.table));
    expect(TableDescription?.KeySchema).toEqual([
      { AttributeName: 'key', KeyType: 'HASH' },
      { AttributeName: 'kind', KeyType: 'RANGE' },
    ]);
    expect(new UpdateTimeToLiveCommand(definition.timeToLive).input).toEqual({
      TableName: 'limits',
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    });
  } finally {
    await close();
  }
});
