import { once } from 'node:events';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { systemRetry } from '@usher/limiter-core';
import { tableDefinition } from '@usher/limiter-core/dynamodb';
import { createTable, localClientConfig } from '@usher/loopback';
import dynalite from 'dynalite';

export const tableName = 'usher';

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
  const dynamoDb = new DynamoDBClient(localClientConfig(endpoint));
  await createTable(dynamoDb, { tableName, ...tableDefinition }, systemRetry);
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
