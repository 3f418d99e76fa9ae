import { once } from 'node:events';
import { CreateTableCommand, DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import dynalite from 'dynalite';

/** An in-memory DynamoDB on loopback, with one table that has Usher's keys. */
export interface DynaliteTable {
  readonly endpoint: string;
  readonly tableName: string;
  /** A client of its own, so that faults put into one do not reach another. */
  client(): { base: DynamoDBClient; client: DynamoDBDocumentClient };
  close(): Promise<void>;
}

/** Starts one; the caller closes it. */
export async function startDynaliteTable(): Promise<DynaliteTable> {
  const server = dynalite({ createTableMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('dynalite has no port');
  const endpoint = `http://127.0.0.1:${address.port}`;
  const tableName = 'usher';
  const bases: DynamoDBClient[] = [];
  const client = (): ReturnType<DynaliteTable['client']> => {
    const base = new DynamoDBClient({
      endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      maxAttempts: 3,
    });
    bases.push(base);
    return { base, client: DynamoDBDocumentClient.from(base) };
  };
  await createTable(client().base, tableName);
  return {
    endpoint,
    tableName,
    client,
    close: async () => {
      for (const base of bases) base.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function createTable(base: DynamoDBClient, TableName: string): Promise<void> {
  await base.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    }),
  );
  for (;;) {
    const { Table } = await base.send(new DescribeTableCommand({ TableName }));
    if (Table?.TableStatus === 'ACTIVE') return;
  }
}
