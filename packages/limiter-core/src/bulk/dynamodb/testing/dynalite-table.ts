import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { startDynalite } from '@usher/loopback/testing';
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
  const tableName = 'usher';
  const { endpoint, client, close } = await startDynalite({ tableName, partitionKey: 'pk', sortKey: 'sk' });
  return {
    endpoint,
    tableName,
    client: () => {
      const base = client();
      return { base, client: DynamoDBDocumentClient.from(base, documentTranslation) };
    },
    close,
  };
}
