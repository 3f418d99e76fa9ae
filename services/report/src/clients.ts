import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { documentTranslation } from '@usher/limiter-core/bulk/dynamodb';

/** The AWS clients of the report service; where they connect to comes from the standard environment. */
export interface Clients {
  readonly dynamoDb: DynamoDBDocumentClient;
  readonly sqs: SQSClient;
  readonly eventBridge: EventBridgeClient;
  readonly s3: S3Client;
}

/**
 * Attempts and timeouts are set, not inherited: the SDK's defaults wait for ever on a stalled connection. A retry is safe
 * everywhere: a put again puts the same, and runs are written under their `rev`.
 */
const clientDefaults = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
} as const;

/** A file of a report is at most some megabytes, and takes longer than an item. */
const fileDefaults = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 30_000, throwOnRequestTimeout: true },
} as const;

export function createClients(): Clients {
  return {
    dynamoDb: DynamoDBDocumentClient.from(new DynamoDBClient(clientDefaults), documentTranslation),
    sqs: new SQSClient(clientDefaults),
    eventBridge: new EventBridgeClient(clientDefaults),
    s3: new S3Client(fileDefaults),
  };
}
