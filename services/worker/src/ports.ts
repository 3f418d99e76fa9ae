import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { AccountStore, Clock, HopStore, RetryEnvironment } from '@usher/limiter-core/bulk';
import type { Log, Meter } from '@usher/service';
import type { WorkerConfig } from './config.ts';
import type { WorkerMetric } from './metrics.ts';

/** Everything outside the worker that it works with. */
export interface WorkerPorts {
  readonly config: WorkerConfig;
  readonly accounts: AccountStore;
  /** The hops of what waits on the pacing queue; the pacer alone claims them. */
  readonly hops: HopStore;
  readonly sqs: SQSClient;
  readonly eventBridge: EventBridgeClient;
  readonly clock: Clock;
  /** A random token of at most 64 letters, digits, `_`, `.` and `-`, another one each time. */
  readonly randomId: () => string;
  /** Pauses between attempts to settle, to publish and to send. */
  readonly retry: RetryEnvironment;
  readonly log: Log;
  readonly meter: Meter<WorkerMetric>;
}

/** The time that an invocation has left; Lambda's context is one. */
export interface Deadline {
  readonly getRemainingTimeInMillis: () => number;
}
