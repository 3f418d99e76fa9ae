import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { type AttributeValue, DescribeTableCommand, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { DescribeEventBusCommand, EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDbAccountStore, keys } from '@usher/limiter-core/bulk/dynamodb';
import { createClients } from '@usher/worker';
import type { StoredPolicy } from './check-policies.ts';

/** The questions of the check to AWS. Each call throws where the resource does not exist. */
export interface DeployedResources {
  /** The outputs of a stack by their names. */
  outputsOf(stackName: string): Promise<Readonly<Record<string, string>>>;
  /** The environment variables of a function. */
  environmentOf(functionName: string): Promise<Readonly<Record<string, string>>>;
  describeTable(tableName: string): Promise<void>;
  describeBucket(bucketName: string): Promise<void>;
  describeBus(eventBusName: string): Promise<void>;
  describeQueue(queueUrl: string): Promise<void>;
  /** The policies of the accounts that have one, for each page of the table's items; a page may have none. */
  policiesOf(tableName: string): AsyncIterable<ReadonlyMap<string, StoredPolicy>>;
}

/** AWS, or the endpoint that AWS_ENDPOINT_URL names. Of the data only policies are read. */
export function awsResources(): DeployedResources {
  const cloudFormation = new CloudFormationClient();
  const dynamoDb = new DynamoDBClient();
  const eventBridge = new EventBridgeClient();
  const lambda = new LambdaClient();
  const s3 = new S3Client();
  // An emulator prints queue URLs with a host of its own, which AWS_ENDPOINT_URL has to win over.
  const sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
  return {
    async outputsOf(StackName) {
      const { Stacks = [] } = await cloudFormation.send(new DescribeStacksCommand({ StackName }));
      const outputs = Stacks.flatMap(({ Outputs = [] }) => Outputs);
      return Object.fromEntries(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
    },
    async environmentOf(FunctionName) {
      const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
      return Environment?.Variables ?? {};
    },
    async describeTable(TableName) {
      await dynamoDb.send(new DescribeTableCommand({ TableName }));
    },
    async describeBucket(Bucket) {
      await s3.send(new HeadBucketCommand({ Bucket }));
    },
    async describeBus(Name) {
      await eventBridge.send(new DescribeEventBusCommand({ Name }));
    },
    async describeQueue(QueueUrl) {
      await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
    },
    async *policiesOf(TableName) {
      const store = new DynamoDbAccountStore({ client: createClients().dynamoDb, tableName: TableName });
      const prefix = keys.policy('').pk;
      let ExclusiveStartKey: Record<string, AttributeValue> | undefined;
      do {
        const page = await dynamoDb.send(
          new ScanCommand({
            TableName,
            FilterExpression: 'begins_with(pk, :prefix)',
            ProjectionExpression: 'pk',
            ExpressionAttributeValues: { ':prefix': { S: prefix } },
            ExclusiveStartKey,
          }),
        );
        const accountIds = (page.Items ?? []).flatMap(({ pk }) => pk?.S?.slice(prefix.length) ?? []);
        // As the worker reads them, item by item.
        yield accountIds.length === 0 ? new Map() : await store.readAccounts(accountIds);
        ExclusiveStartKey = page.LastEvaluatedKey;
      } while (ExclusiveStartKey !== undefined);
    },
  };
}
