import { keptQueue, workQueue } from '@usher/contracts';
import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { DeduplicationScope, FifoThroughputLimit, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { messageMaxBytes } from './numbers.ts';
import type { ServiceFunction } from './service-function.ts';
import type { StageSettings } from './stage-settings.ts';

// High throughput for FIFO queues: 300 calls a second per account's group instead of per queue.
const highThroughputFifo = {
  fifo: true,
  deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
  fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
} as const;

interface QueueOptions {
  readonly fifo?: boolean;
  readonly settings: StageSettings;
}

/** A queue that is worked off, with the queue for what it gives up on. */
export interface WorkQueue {
  readonly queue: Queue;
  readonly deadLetters: Queue;
}

/** A queue that keeps messages as long as SQS can, for an operator to look at. */
export function createKeptQueue(scope: Construct, id: string, { fifo = false, settings }: QueueOptions): Queue {
  return new Queue(scope, id, {
    ...(fifo ? highThroughputFifo : {}),
    ...protection(settings),
    retentionPeriod: Duration.seconds(keptQueue.retentionSeconds),
  });
}

/** A queue that is worked off, and its dead-letter queue. */
export function createWorkQueue(scope: Construct, id: string, options: QueueOptions): WorkQueue {
  const { fifo = false, settings } = options;
  const deadLetters = createKeptQueue(scope, `${id}DeadLetters`, options);
  const queue = new Queue(scope, id, {
    ...(fifo ? highThroughputFifo : {}),
    ...protection(settings),
    visibilityTimeout: Duration.seconds(workQueue.visibilityTimeoutSeconds),
    retentionPeriod: Duration.seconds(workQueue.retentionSeconds),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: workQueue.maxReceiveCount },
  });
  return { queue, deadLetters };
}

/** Lets functions send to a queue; the batch call needs no permission of its own. */
export function allowSend(queue: Queue, ...senders: readonly ServiceFunction[]): void {
  for (const sender of senders) {
    sender.allow(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] }));
  }
}

function protection({ removalPolicy }: StageSettings) {
  return {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    maxMessageSizeBytes: messageMaxBytes,
    removalPolicy,
  } as const;
}
