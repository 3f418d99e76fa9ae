import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { LedgerEntry } from '../../ledger.ts';
import { outcomeOf } from '../../testing/build.ts';
import { DynamoDbAccountStore } from '../account-store.ts';
import type { DynaliteTable } from './dynalite-table.ts';

/** A store, the client below it, and the pauses that it made. */
export interface StoreWithClient {
  store: DynamoDbAccountStore;
  base: DynamoDBClient;
  pauses: number[];
}

/** A store on a client of its own, which loses no time between attempts. */
export function storeOn({ client, tableName }: DynaliteTable, maxBatchAttempts?: number): StoreWithClient {
  const { base, client: document } = client();
  const pauses: number[] = [];
  const retry = {
    sleep: async (ms: number): Promise<void> => {
      pauses.push(ms);
    },
    random: () => 0.5,
  };
  const attempts = maxBatchAttempts === undefined ? {} : { maxBatchAttempts };
  return { store: new DynamoDbAccountStore({ client: document, tableName, retry, ...attempts }), base, pauses };
}

/** A ledger entry of one row. */
export const entryOf = (chunkIndex: number): LedgerEntry => ({
  bookingId: 'bk_a',
  chunkIndex,
  accountId: 'acme',
  outcome: outcomeOf(),
  rows: [{ id: 'A-1', cost: 1 }],
});
