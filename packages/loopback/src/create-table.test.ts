import { DynamoDBClient, ResourceInUseException } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { localClientConfig } from './client-config.ts';
import { createTable, TableNotActiveError } from './create-table.ts';

/** A real client whose calls a script answers: CreateTable with an error or not, DescribeTable with a status. */
function scripted(statuses: string[], onCreate: () => void = () => undefined) {
  const client = new DynamoDBClient(localClientConfig('http://127.0.0.1:1'));
  const asked: unknown[] = [];
  client.middlewareStack.add(
    (_, { commandName }) =>
      async ({ input }) => {
        asked.push(commandName);
        if (commandName === 'CreateTableCommand') {
          asked.push(input);
          onCreate();
        }
        const status = commandName === 'DescribeTableCommand' ? (statuses.shift() ?? 'CREATING') : undefined;
        return { response: {}, output: { $metadata: {}, Table: { TableStatus: status } } };
      },
    { step: 'initialize' },
  );
  let sleeps = 0;
  const sleep = async (): Promise<void> => {
    sleeps += 1;
  };
  return { client, asked, retry: { sleep }, sleeps: () => sleeps };
}

const keys = { tableName: 'items', partitionKey: 'pk' };

test('a table is ready when it is ACTIVE, however often it has to be looked at', async () => {
  const { client, asked, retry, sleeps } = scripted(['CREATING', 'CREATING', 'ACTIVE', 'CREATING']);
  await createTable(client, keys, retry);
  expect(asked.filter((name) => name === 'DescribeTableCommand')).toHaveLength(3);
  expect(sleeps()).toBe(2);
});

test('a table that is there already is waited for too', async () => {
  const exists = new ResourceInUseException({ message: 'it exists', $metadata: {} });
  const { client, asked, retry } = scripted(['CREATING', 'ACTIVE'], () => {
    throw exists;
  });
  await createTable(client, keys, retry);
  expect(asked.filter((name) => name === 'DescribeTableCommand')).toHaveLength(2);
});

test('a table that never becomes ready is an error after a number of looks, not after a time', async () => {
  const { client, retry, sleeps } = scripted([]);
  await expect(createTable(client, keys, retry)).rejects.toThrow(TableNotActiveError);
  expect(sleeps()).toBe(999);
});

test('another failure of CreateTable is its failure', async () => {
  const { client, retry } = scripted(['ACTIVE'], () => {
    throw new Error('no disk');
  });
  await expect(createTable(client, keys, retry)).rejects.toThrow('no disk');
});

test('the keys of the table and of its index are what was asked for', async () => {
  const { client, asked, retry } = scripted(['ACTIVE']);
  const byAccount = { indexName: 'by-account', partitionKey: 'account', sortKey: 'time', projection: 'ALL' } as const;
  await createTable(client, { ...keys, sortKey: 'sk', byAccount }, retry);
  expect(asked[1]).toMatchObject({
    TableName: 'items',
    AttributeDefinitions: ['pk', 'sk', 'account', 'time'].map((AttributeName) => ({
      AttributeName,
      AttributeType: 'S',
    })),
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'by-account',
        KeySchema: [
          { AttributeName: 'account', KeyType: 'HASH' },
          { AttributeName: 'time', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
  });
});
