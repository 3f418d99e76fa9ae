import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createResources } from '@usher/local-stack';
import { localClientConfig } from '@usher/loopback';
import { type } from 'arktype';
import { expect, test } from 'vitest';
import { prod, propertiesOf } from './testing/template.ts';

const Attributes = type({ '[string]': 'string' });
const CreateQueue = type({ QueueName: 'string', Attributes });
const RedrivePolicy = type('string.json.parse').to({ maxReceiveCount: 'number' });

/** The attributes that the embedded stack gives its queues, by queue name. */
async function localQueues(): Promise<Map<string, typeof Attributes.infer>> {
  const queues = new Map<string, typeof Attributes.infer>();
  const options = localClientConfig('http://127.0.0.1:1');
  const sqs = new SQSClient(options);
  sqs.middlewareStack.add(
    () =>
      async ({ input }) => {
        const made = CreateQueue(input);
        if (!(made instanceof type.errors)) queues.set(made.QueueName, made.Attributes);
        const output = { $metadata: {}, QueueUrl: 'http://127.0.0.1/queue', Attributes: { QueueArn: 'arn' } };
        return { output, response: undefined };
      },
    { step: 'initialize' },
  );
  const dynamoDb = new DynamoDBClient(options);
  const eventBridge = new EventBridgeClient(options);
  const answer = { output: { $metadata: {}, Table: { TableStatus: 'ACTIVE' } }, response: undefined };
  dynamoDb.middlewareStack.add(() => async () => answer, { step: 'initialize' });
  eventBridge.middlewareStack.add(() => async () => answer, { step: 'initialize' });
  await createResources({ dynamoDb, sqs, eventBridge });
  return queues;
}

test.each([
  ['usher-bookings.fifo', 'BookingsQueueBookings'],
  ['usher-pacing', 'DispatchQueuePacing'],
  ['usher-report', 'ReportsFacts'],
])('%s of the embedded stack hides, keeps and gives up as on AWS', async (local, deployed) => {
  const attributes = (await localQueues()).get(local);
  const properties = propertiesOf(prod(), 'AWS::SQS::Queue', deployed);
  expect(Number(attributes?.VisibilityTimeout)).toBe(properties.VisibilityTimeout);
  expect(Number(attributes?.MessageRetentionPeriod)).toBe(properties.MessageRetentionPeriod);
  const { maxReceiveCount } = RedrivePolicy.assert(attributes?.RedrivePolicy);
  expect(properties.RedrivePolicy).toMatchObject({ maxReceiveCount });
});
