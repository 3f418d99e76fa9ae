import { randomUUID } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { systemClock, systemRetry } from '@usher/limiter-core/bulk';
import { powertoolsMeter } from '@usher/service';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { createClients } from './clients.ts';
import type { Closing } from './close/close.ts';
import { readConfig } from './config.ts';
import { createReport } from './create-report.ts';
import { DynamoDbDays, DynamoDbEventFacts, DynamoDbRuns } from './dynamodb/index.ts';
import { eventBridgePublisher } from './eventbridge-publisher.ts';
import { S3ReportFiles } from './s3-report-files.ts';
import { sqsDeadLetters } from './sqs-dead-letters.ts';

const config = readConfig(process.env);
const { tableName, reportTableName, bucketName, eventBusName, deadLetterQueueUrls, defaultPolicy } = config;
// The namespace is the environment's (POWERTOOLS_METRICS_NAMESPACE), so that stages sharing an AWS account stay apart.
const metrics = new Metrics({ serviceName: 'report' });
const log = new Logger({ serviceName: 'report' });
const { dynamoDb: client, sqs, eventBridge, s3 } = createClients();
const report = createReport({
  facts: new DynamoDbEventFacts({ client, tableName: reportTableName, retry: systemRetry }),
  days: new DynamoDbDays({ client, tableName, defaultPolicy, retry: systemRetry, log }),
  files: new S3ReportFiles({ s3, bucketName }),
  runs: new DynamoDbRuns({ client, tableName: reportTableName }),
  publish: eventBridgePublisher({ eventBridge, eventBusName }),
  deadLetters: sqsDeadLetters(sqs, deadLetterQueueUrls),
  defaultPolicy,
  clock: systemClock,
  randomId: randomUUID,
  log,
  meter: powertoolsMeter(metrics),
});

/** Lambda handler of the report's queue; its event source must report batch item failures. */
export async function consumeHandler(event: SQSEvent): Promise<SQSBatchResponse> {
  try {
    return await report.consume(event);
  } finally {
    metrics.publishStoredMetrics();
  }
}

/** Lambda handler of the schedule: one run of the closer. A run that fails is followed by the schedule's next. */
export async function closeHandler(): Promise<Closing> {
  try {
    return await report.close();
  } finally {
    metrics.publishStoredMetrics();
  }
}
