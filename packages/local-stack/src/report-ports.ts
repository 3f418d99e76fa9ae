import { randomUUID } from 'node:crypto';
import { eventBusName } from '@usher/contracts';
import { type Clock, type Policy, systemRetry } from '@usher/limiter-core/bulk';
import { eventBridgePublisher, FolderReportFiles, type ReportPorts, sqsDeadLetters } from '@usher/report';
import { DynamoDbDays, DynamoDbEventFacts, DynamoDbRuns } from '@usher/report/dynamodb';
import { type Log, silentMeter } from '@usher/service';
import { type Queues, reportTableName, tableName } from './resources.ts';
import type { StackClients } from './stack.ts';

/** The ports of the report service on a stack's endpoints, with a folder for its files. */
export function reportPorts(
  { dynamoDb, sqs, eventBridge }: StackClients,
  { bookingsDead, pacingDead, reportDead }: Queues,
  options: {
    readonly clock: Clock;
    readonly log: Log;
    readonly defaultPolicy: Policy;
    /** The folder of reports. */
    readonly reportsDir: string;
  },
): ReportPorts {
  const { clock, log, defaultPolicy, reportsDir } = options;
  return {
    facts: new DynamoDbEventFacts({ client: dynamoDb, tableName: reportTableName, retry: systemRetry }),
    days: new DynamoDbDays({ client: dynamoDb, tableName, defaultPolicy, retry: systemRetry, log }),
    files: new FolderReportFiles(reportsDir),
    runs: new DynamoDbRuns({ client: dynamoDb, tableName: reportTableName }),
    publish: eventBridgePublisher({ eventBridge, eventBusName }),
    deadLetters: sqsDeadLetters(
      sqs,
      [bookingsDead, pacingDead, reportDead].map(({ url }) => url),
    ),
    defaultPolicy,
    clock,
    randomId: randomUUID,
    log,
    meter: silentMeter,
  };
}
