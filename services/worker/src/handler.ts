import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { Settler, systemClock, systemRetry } from '@usher/limiter-core';
import { DynamoDbAccountStore } from '@usher/limiter-core/dynamodb';
import { powertoolsMeter } from '@usher/service';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { settleBatch } from './batch.ts';
import { createClients } from './clients.ts';
import { readConfig } from './config.ts';
import type { Deadline, WorkerDependencies } from './dependencies.ts';
import { paceBatch } from './pace.ts';

// The namespace is the environment's (POWERTOOLS_METRICS_NAMESPACE), so that stages sharing an AWS account stay apart.
const metrics = new Metrics({ serviceName: 'worker' });
const deps = createDependencies();

/** Lambda handler of the bookings queue; its event source must report batch item failures. */
export async function settleHandler(event: SQSEvent, context: Deadline): Promise<SQSBatchResponse> {
  try {
    return await settleBatch(event, deps, context);
  } finally {
    metrics.publishStoredMetrics();
  }
}

/** Lambda handler of the pacing queue; its event source must report batch item failures. */
export async function paceHandler(event: SQSEvent, context: Deadline): Promise<SQSBatchResponse> {
  try {
    return await paceBatch(event, deps, context);
  } finally {
    metrics.publishStoredMetrics();
  }
}

function createDependencies(): WorkerDependencies {
  const config = readConfig(process.env);
  const { dynamoDb, sqs, eventBridge } = createClients();
  return {
    config,
    settler: new Settler({
      store: new DynamoDbAccountStore({ client: dynamoDb, tableName: config.tableName }),
      defaultPolicy: config.defaultPolicy,
    }),
    sqs,
    eventBridge,
    clock: systemClock,
    retry: systemRetry,
    log: new Logger({ serviceName: 'worker' }),
    meter: powertoolsMeter(metrics),
  };
}
