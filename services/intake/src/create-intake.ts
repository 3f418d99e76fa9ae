import type { SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Clock, RetryEnvironment } from '@usher/limiter-core/bulk';
import {
  DynamoDbAccountStore,
  DynamoDbLedgerReader,
  limitKeys,
  tableDefinition,
} from '@usher/limiter-core/bulk/dynamodb';
import { dynamoDb } from '@usher/limiter-core/dynamodb';
import { errorFields, type Log, type Meter } from '@usher/service';
import type { Hono } from 'hono';
import { createApp } from './app.ts';
import type { Authenticate } from './caller.ts';
import type { IntakeConfig } from './config.ts';
import { DynamoDbHeaders } from './dynamodb-headers.ts';
import { type IntakeMetric, intakeMetrics } from './metrics.ts';
import { PolicySource } from './policy-source.ts';
import { defaultRequestRates, RequestLimits } from './request-limits.ts';
import { scopedLog } from './request-scope.ts';
import type { IntakeEnv } from './routing.ts';
import { type BookingQueueOptions, SqsBookings } from './sqs-bookings.ts';
import { SubmissionLimit } from './submission-limit.ts';

/** Everything that intake needs from outside. */
export interface IntakePorts {
  readonly config: IntakeConfig;
  readonly dynamoDb: DynamoDBDocumentClient;
  readonly sqs: SQSClient;
  readonly authenticate: Authenticate;
  readonly clock: Clock;
  /** Names an attempt; no two calls give the same. */
  readonly randomId: () => string;
  /** The pauses between tries of a call. */
  readonly retry: RetryEnvironment;
  readonly log: Log;
  readonly meter: Meter<IntakeMetric>;
}

/** Makes the HTTP API on DynamoDB and SQS. Its host brings the clients and finds the caller. */
export function createIntake(ports: IntakePorts): Hono<IntakeEnv> {
  const { config, dynamoDb: client, sqs, authenticate, clock, randomId, retry, meter } = ports;
  const { tableName, defaultPolicy, submission: rate, requests: rates = defaultRequestRates } = config;
  const log = scopedLog(ports.log);
  const accounts = new DynamoDbAccountStore({ client, tableName, retry });
  const onFailure: BookingQueueOptions['onFailure'] = (problem, { accountId, bookingId, entries }) => {
    log.warn('queue did not take entries', { accountId, bookingId, entries, ...errorFields(problem) });
    meter.count(intakeMetrics.queueFailures, entries);
  };
  const { partitionKey, ttlAttribute } = tableDefinition;
  const store = dynamoDb({ client, tableName, partitionKey, ttlAttribute, ...limitKeys });
  return createApp({
    authenticate,
    clock,
    randomId,
    log,
    meter,
    accounts,
    defaultPolicy,
    limits: new RequestLimits({ rates, clock, meter }),
    headers: new DynamoDbHeaders({ client, tableName, retry }),
    ledger: new DynamoDbLedgerReader({ client, tableName }),
    queue: new SqsBookings({ sqs, queueUrl: config.bookingsQueueUrl, retry, onFailure }),
    policies: new PolicySource({ accounts, defaultPolicy, clock }),
    submissionLimit: new SubmissionLimit({ store, rate, clock, log, meter }),
  });
}
