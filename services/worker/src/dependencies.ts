import type { MetricUnit } from '@aws-lambda-powertools/metrics';
import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Log } from '@usher/contracts';
import type { AccountStore, Clock, RecordedChunks, RetryEnvironment } from '@usher/limiter-core';
import type { WorkerConfig } from './config.ts';
import type { WorkerMetric } from './metrics.ts';

/** Where the worker counts. Powertools' Metrics is one. */
export interface Meter {
  addMetric(name: WorkerMetric, unit: (typeof MetricUnit)[keyof typeof MetricUnit], value: number): unknown;
}

/** What the worker's handlers work with. Nothing in it can change a verdict. */
export interface WorkerDependencies {
  readonly config: WorkerConfig;
  readonly store: AccountStore;
  readonly recorded: RecordedChunks;
  readonly sqs: SQSClient;
  readonly eventBridge: EventBridgeClient;
  readonly clock: Clock;
  readonly retry: RetryEnvironment;
  readonly logger: Log;
  readonly metrics: Meter;
}

/** What the handlers ask of Lambda's context. */
export interface Deadline {
  readonly getRemainingTimeInMillis: () => number;
}
