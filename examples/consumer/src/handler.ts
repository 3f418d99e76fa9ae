import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { consume } from './consume.ts';
import { UsageTable } from './usage-table.ts';

const { USAGE_TABLE = '' } = process.env;
const usage = new UsageTable(DynamoDBDocumentClient.from(new DynamoDBClient()), USAGE_TABLE);

/** The Lambda's handler. */
export function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  return consume(event, {
    usage,
    onFailure: (messageId, error) => {
      const problem = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      console.error(JSON.stringify({ message: 'An event could not be taken', messageId, problem }));
    },
  });
}
