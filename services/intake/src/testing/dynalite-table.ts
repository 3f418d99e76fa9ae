import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { tableDefinition } from '@usher/limiter-core/bulk/dynamodb';
import { startDynalite } from '@usher/loopback/testing';

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
  const dynalite = await startDynalite({ tableName, ...tableDefinition });
  const client = DynamoDBDocumentClient.from(dynalite.client());
  const items = async () =>
    (await client.send(new ScanCommand({ TableName: tableName, ConsistentRead: true }))).Items ?? [];
  return { client, endpoint: dynalite.endpoint, items, close: dynalite.close };
}
