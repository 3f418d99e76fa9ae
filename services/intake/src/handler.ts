import { randomUUID } from 'node:crypto';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { systemClock, systemRetry } from '@usher/limiter-core/bulk';
import { documentTranslation } from '@usher/limiter-core/bulk/dynamodb';
import { powertoolsMeter } from '@usher/service';
import { readConfig } from './config.ts';
import { createIntake } from './create-intake.ts';
import { jwtCaller } from './lambda-caller.ts';
import { type LambdaAnswer, lambdaHandler } from './lambda-handler.ts';

const config = readConfig(process.env);
const logger = new Logger({ serviceName: 'intake' });
// The namespace comes from POWERTOOLS_METRICS_NAMESPACE, so that stages in one AWS account stay apart.
const metrics = new Metrics({ serviceName: 'intake' });

// A call must fail while there is still time to give the lease up: three tries of three seconds fit the Lambda's 25.
const bounds = {
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
};

const meter = powertoolsMeter(metrics);
const app = createIntake({
  config,
  dynamoDb: DynamoDBDocumentClient.from(new DynamoDBClient(bounds), documentTranslation),
  sqs: new SQSClient(bounds),
  authenticate: jwtCaller(config.accountClaim),
  clock: systemClock,
  randomId: randomUUID,
  retry: systemRetry,
  log: logger,
  meter,
});
const answer = lambdaHandler({ app, log: logger, meter });

/** The Lambda behind the HTTP API. */
export async function handler(event: unknown, context: { readonly awsRequestId: string }): Promise<LambdaAnswer> {
  logger.appendKeys({ invocationId: context.awsRequestId });
  try {
    return await answer(event, context);
  } finally {
    if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
  }
}
