import type { DynamoDB } from '@aws-sdk/client-dynamodb';
import { systemRetry } from '@usher/limiter-core/bulk';
import { tableDefinition } from '@usher/limiter-core/bulk/dynamodb';
import { createTable } from '@usher/loopback';

export const usherTable = 'usher';
export const rateLimiterTable = 'rate-limiter-flexible';
export const bucketTable = 'read-then-put';
export const limitsTable = 'limits';

/** Makes the contenders' tables: Usher's as it is deployed, index and all, the others as they need them. */
export async function createTables(client: DynamoDB): Promise<void> {
  await createTable(client, { tableName: usherTable, ...tableDefinition }, systemRetry);
  await createTable(client, { tableName: rateLimiterTable, partitionKey: 'key' }, systemRetry);
  await createTable(client, { tableName: limitsTable, partitionKey: 'pk' }, systemRetry);
  await createTable(client, { tableName: bucketTable, partitionKey: 'accountId' }, systemRetry);
}
