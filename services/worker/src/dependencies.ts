import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Clock, RetryEnvironment, Settler } from '@usher/limiter-core';
import type { Log, Meter } from '@usher/service';
import type { WorkerConfig } from './config.ts';
import type { WorkerMetric } from './metrics.ts';

/** What the worker's handlers work with. Nothing in it can change a verdict. */
export interface WorkerDependencies {
  readonly config: WorkerConfig;
  readonly settler: Settler;
  readonly sqs: SQSClient;
  readonly eventBridge: EventBridgeClient;
  readonly clock: Clock;
  readonly retry: RetryEnvironment;
  readonly log: Log;
  readonly meter: Meter<WorkerMetric>;
}

/** What the handlers ask of Lambda's context. */
export interface Deadline {
  readonly getRemainingTimeInMillis: () => number;
}
