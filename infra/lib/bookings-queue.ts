import { Validations } from 'aws-cdk-lib';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { createKeptQueue, createWorkQueue, type WorkQueue } from './queue.ts';
import type { StageSettings } from './stage-settings.ts';

/**
 * The queue between intake and the worker: one group per account. Beside it the quarantine, for messages that can never
 * be processed.
 */
export class BookingsQueue extends Construct {
  readonly bookings: WorkQueue;
  readonly quarantine: Queue;

  constructor(scope: Construct, id: string, settings: StageSettings) {
    super(scope, id);
    this.bookings = createWorkQueue(this, 'Bookings', { name: 'bookings', fifo: true, settings });
    this.quarantine = createKeptQueue(this, 'Quarantine', { settings });
    Validations.of(this.quarantine).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason:
        'Quarantine is itself the place for messages that could not be processed. No consumer receives from it; ' +
        'an operator looks at it, and an alarm tells as soon as it holds a message.',
    });
  }
}
