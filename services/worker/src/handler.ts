import { randomUUID } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { systemClock, systemRetry } from '@usher/limiter-core/bulk';
import { DynamoDbAccountStore, DynamoDbHopStore } from '@usher/limiter-core/bulk/dynamodb';
import { powertoolsMeter } from '@usher/service';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { createClients } from './clients.ts';
import { readConfig } from './config.ts';
import { createWorker } from './create-worker.ts';
import type { Deadline } from './ports.ts';

const config = readConfig(process.env);
const { tableName } = config;
// The namespace is the environment's (POWERTOOLS_METRICS_NAMESPACE), so that stages sharing an AWS account stay apart.
const metrics = new Metrics({ serviceName: 'worker' });
const { dynamoDb, sqs, eventBridge } = createClients();
const worker = createWorker({
  config,
  accounts: new DynamoDbAccountStore({ client: dynamoDb, tableName }),
  hops: new DynamoDbHopStore({ client: dynamoDb, tableName }),
  sqs,
  eventBridge,
  clock: systemClock,
  randomId: randomUUID,
  retry: systemRetry,
  log: new Logger({ serviceName: 'worker' }),
  meter: powertoolsMeter(metrics),
});

/** Lambda handler of the bookings queue; its event source must report batch item failures. */
export async function settleHandler(event: SQSEvent, context: Deadline): Promise<SQSBatchResponse> {
  try {
    return await worker.settle(event, context);
  } finally {
    metrics.publishStoredMetrics();
  }
}

/** Lambda handler of the pacing queue; its event source must report batch item failures. */
export async function paceHandler(event: SQSEvent, context: Deadline): Promise<SQSBatchResponse> {
  try {
    return await worker.pace(event, context);
  } finally {
    metrics.publishStoredMetrics();
  }
}
