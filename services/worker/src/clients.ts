import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { documentTranslation } from '@usher/limiter-core/bulk/dynamodb';

/** The AWS clients of the worker; where they connect to comes from the standard environment. */
export interface Clients {
  readonly dynamoDb: DynamoDBDocumentClient;
  readonly sqs: SQSClient;
  readonly eventBridge: EventBridgeClient;
}

/**
 * Attempts and timeouts are set, not inherited: the SDK's defaults wait for ever on a stalled connection. A retry is
 * safe everywhere: writes stand under `rev`, messages and events carry their own ids.
 */
export const clientDefaults = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
} as const;

/** The longest that one call can take with all its attempts, the SDK's pauses between them (well below 1 s) included. */
export const longestCallMs = clientDefaults.maxAttempts * clientDefaults.requestHandler.requestTimeout + 1_000;

export function createClients(): Clients {
  return {
    dynamoDb: DynamoDBDocumentClient.from(new DynamoDBClient(clientDefaults), documentTranslation),
    sqs: new SQSClient(clientDefaults),
    eventBridge: new EventBridgeClient(clientDefaults),
  };
}
