import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  CreateEventBusCommand,
  DescribeEventBusCommand,
  type EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
  ResourceAlreadyExistsException,
} from '@aws-sdk/client-eventbridge';
import { CreateQueueCommand, GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { eventBusName, eventSource, keptQueue, workQueue } from '@usher/contracts';
import { type RetryEnvironment, systemRetry } from '@usher/limiter-core/bulk';
import { tableDefinition } from '@usher/limiter-core/bulk/dynamodb';
import { createTable } from '@usher/loopback';

/** The table's name, the same as on AWS. */
export const tableName = 'usher';

/** A queue as callers and pollers need it. */
export interface QueueAddress {
  readonly url: string;
  readonly arn: string;
}

/** Every queue of the flow, by what it carries. */
export interface Queues {
  readonly bookings: QueueAddress;
  readonly bookingsDead: QueueAddress;
  readonly dispatch: QueueAddress;
  readonly pacing: QueueAddress;
  readonly pacingDead: QueueAddress;
  readonly quarantine: QueueAddress;
  /** All events of the bus, for whoever wants to look; on AWS consumers bring rules of their own. */
  readonly events: QueueAddress;
}

/** Makes what the services need, where it is not there yet: table, queues, bus, and a rule that keeps all events. */
export async function createResources(
  clients: { dynamoDb: DynamoDBClient; sqs: SQSClient; eventBridge: EventBridgeClient },
  retry: RetryEnvironment = systemRetry,
): Promise<Queues> {
  await createTable(clients.dynamoDb, { tableName, ...tableDefinition }, retry);
  const queues = await createQueues(clients.sqs);
  await createBus(clients.eventBridge, queues.events.arn);
  return queues;
}

async function createQueues(sqs: SQSClient): Promise<Queues> {
  const kept = { MessageRetentionPeriod: String(keptQueue.retentionSeconds) };
  const fifo = { FifoQueue: 'true' };
  const bookingsDead = await createQueue(sqs, 'usher-bookings-dead.fifo', { ...kept, ...fifo });
  const pacingDead = await createQueue(sqs, 'usher-pacing-dead', kept);
  const worked = {
    VisibilityTimeout: String(workQueue.visibilityTimeoutSeconds),
    MessageRetentionPeriod: String(workQueue.retentionSeconds),
  };
  const givenUpTo = (dead: QueueAddress) => ({
    RedrivePolicy: JSON.stringify({
      deadLetterTargetArn: dead.arn,
      maxReceiveCount: workQueue.maxReceiveCount,
    }),
  });
  return {
    bookings: await createQueue(sqs, 'usher-bookings.fifo', { ...worked, ...fifo, ...givenUpTo(bookingsDead) }),
    bookingsDead,
    dispatch: await createQueue(sqs, 'usher-dispatch', worked),
    pacing: await createQueue(sqs, 'usher-pacing', { ...worked, ...givenUpTo(pacingDead) }),
    pacingDead,
    quarantine: await createQueue(sqs, 'usher-quarantine', kept),
    events: await createQueue(sqs, 'usher-events', kept),
  };
}

async function createQueue(
  sqs: SQSClient,
  QueueName: string,
  Attributes: Record<string, string>,
): Promise<QueueAddress> {
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
  const answer = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
  const arn = answer.Attributes?.QueueArn;
  if (QueueUrl === undefined || arn === undefined) throw new Error(`SQS answered no address for ${QueueName}`);
  return { url: QueueUrl, arn };
}

async function createBus(eventBridge: EventBridgeClient, eventsQueueArn: string): Promise<void> {
  const EventBusName = eventBusName;
  try {
    await eventBridge.send(new CreateEventBusCommand({ Name: EventBusName }));
  } catch (error) {
    if (!(error instanceof ResourceAlreadyExistsException)) throw error;
  }
  await eventBridge.send(new DescribeEventBusCommand({ Name: EventBusName }));
  const Rule = 'all-events';
  const EventPattern = JSON.stringify({ source: [eventSource] });
  await eventBridge.send(new PutRuleCommand({ Name: Rule, EventBusName, EventPattern }));
  await eventBridge.send(
    new PutTargetsCommand({ Rule, EventBusName, Targets: [{ Id: 'events-queue', Arn: eventsQueueArn }] }),
  );
}
