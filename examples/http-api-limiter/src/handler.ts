import { dynamoDb } from '@usher/limiter-core/dynamodb';
import { createHandler } from './create-handler.ts';

/** Lambda's entry. The table is as `tableDefinition` says; region and credentials are the function's own. */
export const handler = createHandler({
  store: dynamoDb({ tableName: process.env.LIMITS_TABLE ?? 'limits' }),
  failPolicy: process.env.FAIL_POLICY === 'closed' ? 'closed' : 'open',
});
