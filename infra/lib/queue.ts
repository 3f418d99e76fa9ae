import { keptQueue, workQueue } from '@usher/contracts';
import { Duration, Stack } from 'aws-cdk-lib';
import {
  DeduplicationScope,
  FifoThroughputLimit,
  Queue,
  QueueEncryption,
  type RedriveAllowPolicy,
  RedrivePermission,
} from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { messageMaxBytes } from './numbers.ts';
import type { StageSettings } from './stage-settings.ts';

// High throughput for FIFO queues: 300 calls a second per account's group instead of per queue.
const highThroughputFifo = {
  fifo: true,
  deduplicationScope: DeduplicationScope.MESSAGE_GROUP,
  fifoThroughputLimit: FifoThroughputLimit.PER_MESSAGE_GROUP_ID,
} as const;

/**
 * A queue that takes no other queue's dead letters. Else whoever may create queues could name it as the dead-letter
 * queue of one of theirs, and so put messages in without the right to send.
 */
const noDeadLetters: RedriveAllowPolicy = { redrivePermission: RedrivePermission.DENY_ALL };

interface KeptQueueOptions {
  readonly fifo?: boolean;
  readonly settings: StageSettings;
  /** @default noDeadLetters */
  readonly redriveAllowPolicy?: RedriveAllowPolicy;
}

interface WorkQueueOptions {
  readonly fifo?: boolean;
  readonly settings: StageSettings;
  /** The queue's name, after the prefix that tells stages apart. */
  readonly name: 'bookings' | 'dispatch' | 'pacing' | 'events' | 'report';
}

/** A queue that is worked off, with its dead-letter queue. */
export interface WorkQueue {
  readonly queue: Queue;
  readonly deadLetters: Queue;
}

/** A queue that keeps messages as long as SQS can, for an operator to look at. */
export function createKeptQueue(scope: Construct, id: string, options: KeptQueueOptions): Queue {
  const { fifo = false, settings, redriveAllowPolicy = noDeadLetters } = options;
  return new Queue(scope, id, {
    ...(fifo ? highThroughputFifo : {}),
    ...protection(settings),
    redriveAllowPolicy,
    retentionPeriod: Duration.seconds(keptQueue.retentionSeconds),
  });
}

/**
 * A queue that is worked off, and its dead-letter queue, which takes the dead letters of this queue alone. Each names
 * the other, so one of them has a name that is known before it exists.
 */
export function createWorkQueue(scope: Construct, id: string, options: WorkQueueOptions): WorkQueue {
  const { fifo = false, settings, name } = options;
  const queueName = `usher-${settings.stage}-${name}${fifo ? '.fifo' : ''}`;
  const source = Queue.fromQueueArn(
    scope,
    `${id}Source`,
    Stack.of(scope).formatArn({ service: 'sqs', resource: queueName }),
  );
  const deadLetters = createKeptQueue(scope, `${id}DeadLetters`, {
    fifo,
    settings,
    redriveAllowPolicy: { redrivePermission: RedrivePermission.BY_QUEUE, sourceQueues: [source] },
  });
  const queue = new Queue(scope, id, {
    queueName,
    ...(fifo ? highThroughputFifo : {}),
    ...protection(settings),
    redriveAllowPolicy: noDeadLetters,
    visibilityTimeout: Duration.seconds(workQueue.visibilityTimeoutSeconds),
    retentionPeriod: Duration.seconds(workQueue.retentionSeconds),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: workQueue.maxReceiveCount },
  });
  return { queue, deadLetters };
}

function protection({ removalPolicy }: StageSettings) {
  return {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: true,
    maxMessageSizeBytes: messageMaxBytes,
    removalPolicy,
  } as const;
}
