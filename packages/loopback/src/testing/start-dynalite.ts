import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { localClientConfig } from '../client-config.ts';
import { createTable, type TableKeys } from '../create-table.ts';

/** An in-memory DynamoDB on loopback. */
export interface Dynalite {
  readonly endpoint: string;
  /** A client of its own, so that faults put into one do not reach another. */
  client(): DynamoDBClient;
  /** Ends the server, its connections and all its clients. */
  close(): Promise<void>;
}

/** Starts dynalite in this process, with these tables; the caller closes it. */
export async function startDynalite(...tables: readonly TableKeys[]): Promise<Dynalite> {
  const server = dynalite({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  // A connection that has idled stays open: one closed while its client was busy makes the SDK repeat the call, which is counted.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('dynalite has no port.');
  const endpoint = `http://127.0.0.1:${address.port}`;
  const clients: DynamoDBClient[] = [];
  const client = (): DynamoDBClient => {
    const made = new DynamoDBClient(localClientConfig(endpoint));
    clients.push(made);
    return made;
  };
  for (const table of tables) await createTable(client(), table, { sleep });
  const close = async (): Promise<void> => {
    for (const made of clients) made.destroy();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { endpoint, client, close };
}
