import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DescribeEventBusCommand, EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';

/** The questions of the check to AWS. Each call throws where the resource does not exist. */
export interface DeployedResources {
  /** The outputs of a stack by their names. */
  outputsOf(stackName: string): Promise<Readonly<Record<string, string>>>;
  /** The environment variables of a function. */
  environmentOf(functionName: string): Promise<Readonly<Record<string, string>>>;
  describeTable(tableName: string): Promise<void>;
  describeBus(eventBusName: string): Promise<void>;
  describeQueue(queueUrl: string): Promise<void>;
}

/** AWS, or the endpoint that AWS_ENDPOINT_URL names. Only descriptions are read, never data. */
export function awsResources(): DeployedResources {
  const cloudFormation = new CloudFormationClient();
  const dynamoDb = new DynamoDBClient();
  const eventBridge = new EventBridgeClient();
  const lambda = new LambdaClient();
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
    async describeBus(Name) {
      await eventBridge.send(new DescribeEventBusCommand({ Name }));
    },
    async describeQueue(QueueUrl) {
      await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
    },
  };
}
