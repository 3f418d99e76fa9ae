import { DescribeTableCommand, type DynamoDBClient, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
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
import { reportedDetailTypes } from '@usher/report';
import { reportTableDefinition } from '@usher/report/dynamodb';

/** The table's name, the same as on AWS. */
export const tableName = 'usher';
/** The name of the report's own table, the same as on AWS. */
export const reportTableName = 'usher-reports';

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
  /** The events that reports are made of. */
  readonly report: QueueAddress;
  readonly reportDead: QueueAddress;
  /** All events of the bus, for whoever wants to look; on AWS consumers bring rules of their own. */
  readonly events: QueueAddress;
}

/** The indexes that a table of an earlier version lacks; none where there is no table yet. */
export async function missingIndexes(dynamoDb: DynamoDBClient): Promise<string[]> {
  try {
    const { Table } = await dynamoDb.send(new DescribeTableCommand({ TableName: tableName }));
    const there = new Set(Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName));
    const { byAccount, byDay } = tableDefinition;
    return [byAccount, byDay].map(({ indexName }) => indexName).filter((indexName) => !there.has(indexName));
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return [];
    throw error;
  }
}

/** Makes what the services need, where it is not there yet: tables, queues, bus, a rule that keeps all events, and the report's. */
export async function createResources(
  clients: { dynamoDb: DynamoDBClient; sqs: SQSClient; eventBridge: EventBridgeClient },
  retry: RetryEnvironment = systemRetry,
): Promise<Queues> {
  await createTable(clients.dynamoDb, { tableName, ...tableDefinition }, retry);
  await createTable(clients.dynamoDb, { tableName: reportTableName, ...reportTableDefinition }, retry);
  const queues = await createQueues(clients.sqs);
  await createBus(clients.eventBridge, queues);
  return queues;
}

async function createQueues(sqs: SQSClient): Promise<Queues> {
  const kept = { MessageRetentionPeriod: String(keptQueue.retentionSeconds) };
  const fifo = { FifoQueue: 'true' };
  const bookingsDead = await createQueue(sqs, 'usher-bookings-dead.fifo', { ...kept, ...fifo });
  const pacingDead = await createQueue(sqs, 'usher-pacing-dead', kept);
  const reportDead = await createQueue(sqs, 'usher-report-dead', kept);
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
    report: await createQueue(sqs, 'usher-report', { ...worked, ...givenUpTo(reportDead) }),
    reportDead,
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

async function createBus(eventBridge: EventBridgeClient, queues: Queues): Promise<void> {
  const EventBusName = eventBusName;
  try {
    await eventBridge.send(new CreateEventBusCommand({ Name: EventBusName }));
  } catch (error) {
    if (!(error instanceof ResourceAlreadyExistsException)) throw error;
  }
  await eventBridge.send(new DescribeEventBusCommand({ Name: EventBusName }));
  const toQueue = async (Rule: string, pattern: object, { id, queue }: { id: string; queue: QueueAddress }) => {
    await eventBridge.send(new PutRuleCommand({ Name: Rule, EventBusName, EventPattern: JSON.stringify(pattern) }));
    await eventBridge.send(new PutTargetsCommand({ Rule, EventBusName, Targets: [{ Id: id, Arn: queue.arn }] }));
  };
  const source = [eventSource];
  await toQueue('all-events', { source }, { id: 'events-queue', queue: queues.events });
  const reported = { source, 'detail-type': [...reportedDetailTypes] };
  await toQueue('report', reported, { id: 'report-queue', queue: queues.report });
}
