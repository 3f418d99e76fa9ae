import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { StackClients } from '@usher/local-stack';
import { localClientConfig } from '@usher/loopback';
import { inject } from 'vitest';
import { aws } from './harness/emulator.ts';

const run = inject('run');

/** The outputs and the endpoint of the deployment under test. */
export const { outputs, endpoint } = run;

const local = { ...localClientConfig(endpoint), region: aws.region };
const config = { ...local, credentials: run.operator };

/** The emulator calls itself localhost in queue URLs, which may be another address than the one it listens on. */
export const makeSqs = (): SQSClient => new SQSClient({ ...config, useQueueUrlAsEndpoint: false });
export const makeEventBridge = (): EventBridgeClient => new EventBridgeClient(config);

/** SQS for an administrator of the AWS account whom the deployment does not know as an operator. */
export const administratorSqs = new SQSClient({ ...local, credentials: aws.credentials, useQueueUrlAsEndpoint: false });

/** Clients of an operator, who may do everything. */
export const operator: StackClients = {
  dynamoDb: DynamoDBDocumentClient.from(new DynamoDBClient(config)),
  sqs: makeSqs(),
  eventBridge: makeEventBridge(),
};
