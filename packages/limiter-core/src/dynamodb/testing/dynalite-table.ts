import { once } from 'node:events';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { createTable, localClientConfig } from '@usher/loopback';
import dynalite from 'dynalite';
import { systemRetry } from '../../backoff.ts';
import { documentTranslation } from '../document-translation.ts';

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
    const base = new DynamoDBClient(localClientConfig(endpoint));
    bases.push(base);
    return { base, client: DynamoDBDocumentClient.from(base, documentTranslation) };
  };
  await createTable(client().base, { tableName, partitionKey: 'pk', sortKey: 'sk' }, systemRetry);
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
