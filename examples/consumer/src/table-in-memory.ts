import { once } from 'node:events';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { tableKeys, UsageTable } from './usage-table.ts';

const require = createRequire(import.meta.url);
/** dynalite, a DynamoDB in memory. It has no types. */
const dynalite: (options: { readonly createTableMs: number }) => Server = require('dynalite');

/** Tables in memory, for tests and to try the consumer without AWS. */
export interface MemoryTables {
  /** Makes an empty table. */
  make(): Promise<UsageTable>;
  close(): Promise<void>;
}

/** Starts a DynamoDB in this process; the caller closes it. */
export async function startTables(): Promise<MemoryTables> {
  const server = dynalite({ createTableMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('dynalite has no port.');
  const client = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${address.port}`,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
  });
  let made = 0;
  return {
    make: async () => {
      const TableName = `usage-${++made}`;
      const { partitionKey, sortKey } = tableKeys;
      const create = new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [
          { AttributeName: partitionKey, KeyType: 'HASH' },
          { AttributeName: sortKey, KeyType: 'RANGE' },
        ],
        AttributeDefinitions: [partitionKey, sortKey].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      });
      await client.send(create);
      await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1, maxDelay: 1 }, { TableName });
      return new UsageTable(DynamoDBDocumentClient.from(client), TableName);
    },
    close: async () => {
      client.destroy();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
