import type { DynamoDB } from '@aws-sdk/client-dynamodb';
import { tableDefinition } from '@usher/contracts';

export const usherTable = 'usher';
export const rateLimiterTable = 'rate-limiter-flexible';
export const bucketTable = 'read-then-put';

/** Makes the contenders' tables: Usher's as it is deployed, index and all, the others as they need them. */
export async function createTables(client: DynamoDB): Promise<void> {
  const { partitionKey, sortKey, byAccount } = tableDefinition;
  await client.createTable({
    TableName: usherTable,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [partitionKey, sortKey, byAccount.partitionKey, byAccount.sortKey].map(stringAttribute),
    KeySchema: keySchema(partitionKey, sortKey),
    GlobalSecondaryIndexes: [
      {
        IndexName: byAccount.indexName,
        KeySchema: keySchema(byAccount.partitionKey, byAccount.sortKey),
        Projection: { ProjectionType: byAccount.projection },
      },
    ],
  });
  await createSimpleTable(client, rateLimiterTable, 'key');
  await createSimpleTable(client, bucketTable, 'accountId');
  // dynalite, like AWS, makes a table after it has answered; asking for each is what waits for it.
  for (const TableName of [usherTable, rateLimiterTable, bucketTable]) await untilActive(client, TableName);
}

async function createSimpleTable(client: DynamoDB, TableName: string, key: string): Promise<void> {
  await client.createTable({
    TableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [stringAttribute(key)],
    KeySchema: [{ AttributeName: key, KeyType: 'HASH' }],
  });
}

async function untilActive(client: DynamoDB, TableName: string): Promise<void> {
  for (let asked = 0; asked < 1000; asked++) {
    const { Table } = await client.describeTable({ TableName });
    if (Table?.TableStatus === 'ACTIVE') return;
  }
  throw new Error(`Table ${TableName} did not become active.`);
}

function stringAttribute(AttributeName: string): { AttributeName: string; AttributeType: 'S' } {
  return { AttributeName, AttributeType: 'S' };
}

function keySchema(hash: string, range: string): { AttributeName: string; KeyType: 'HASH' | 'RANGE' }[] {
  return [
    { AttributeName: hash, KeyType: 'HASH' },
    { AttributeName: range, KeyType: 'RANGE' },
  ];
}
