import { once } from 'node:events';
import { CreateTableCommand, DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { tableDefinition } from '@usher/contracts';
import dynalite from 'dynalite';

export const tableName = 'usher';
export const testCredentials = { accessKeyId: 'test', secretAccessKey: 'test' };

/** A table of its own for one test. */
export interface TestTable {
  readonly client: DynamoDBDocumentClient;
  readonly endpoint: string;
  /** Every item there is. */
  items(): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export async function startTable(): Promise<TestTable> {
  const server = dynalite({ createTableMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const endpoint = `http://127.0.0.1:${port}`;
  const dynamoDb = new DynamoDBClient({
    endpoint,
    region: 'eu-central-1',
    credentials: testCredentials,
    maxAttempts: 3,
  });
  await createTable(dynamoDb);
  const client = DynamoDBDocumentClient.from(dynamoDb);
  const items = async () =>
    (await client.send(new ScanCommand({ TableName: tableName, ConsistentRead: true }))).Items ?? [];
  const close = async () => {
    dynamoDb.destroy();
    server.close();
    server.closeAllConnections();
  };
  return { client, endpoint, items, close };
}

async function createTable(dynamoDb: DynamoDBClient): Promise<void> {
  const { partitionKey, sortKey, byAccount } = tableDefinition;
  const keyed = (hash: string, range: string) => [
    { AttributeName: hash, KeyType: 'HASH' as const },
    { AttributeName: range, KeyType: 'RANGE' as const },
  ];
  await dynamoDb.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: keyed(partitionKey, sortKey),
      AttributeDefinitions: [partitionKey, sortKey, byAccount.partitionKey, byAccount.sortKey].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S',
      })),
      GlobalSecondaryIndexes: [
        {
          IndexName: byAccount.indexName,
          KeySchema: keyed(byAccount.partitionKey, byAccount.sortKey),
          Projection: { ProjectionType: byAccount.projection },
        },
      ],
    }),
  );
  for (let tries = 0; tries < 50; tries++) {
    const { Table } = await dynamoDb.send(new DescribeTableCommand({ TableName: tableName }));
    if (Table?.TableStatus === 'ACTIVE') return;
  }
  throw new Error('The test table did not become active');
}
