import type { IntakeEnvironment } from '@usher/intake';
import { Construct } from 'constructs';
import type { BookingsQueue } from './bookings-queue.ts';
import type { Deployment } from './config.ts';
import { intake } from './numbers.ts';
import { ServiceFunction } from './service-function.ts';
import type { StageSettings } from './stage-settings.ts';
import type { UsherTable } from './table.ts';

export interface IntakeProps {
  readonly settings: StageSettings;
  readonly deployment: Deployment;
  readonly table: UsherTable;
  readonly queues: BookingsQueue;
}

/** Accepts bookings and answers their status. It reads accounts but may write none: only the worker decides. */
export class Intake extends Construct {
  readonly service: ServiceFunction;

  constructor(scope: Construct, id: string, { settings, deployment, table, queues }: IntakeProps) {
    super(scope, id);
    const bookings = queues.bookings.queue;
    this.service = new ServiceFunction(this, 'Intake', {
      settings,
      service: 'intake',
      handler: 'handler',
      description: 'accepts bookings, answers status and quota',
      timeoutSeconds: intake.timeoutSeconds,
      memoryMb: intake.memoryMb,
      reservedConcurrency: deployment.reserveConcurrency ? intake.reservedConcurrency : undefined,
      environment: {
        USHER_TABLE: table.table.tableName,
        USHER_BOOKINGS_QUEUE_URL: bookings.queueUrl,
        USHER_DEFAULT_POLICY: JSON.stringify(deployment.defaultPolicy),
        USHER_ACCOUNT_CLAIM: deployment.accountClaim,
        ...submissionVariables(deployment),
      } satisfies IntakeEnvironment,
    });
    // Accounts with their policies; headers of a list.
    table.allow(this.service, ['BatchGetItem'], ['account', 'policy', 'booking']);
    // Headers, and the submission limiter's buckets.
    table.allow(this.service, ['GetItem', 'UpdateItem'], ['booking', 'rate']);
    table.allow(this.service, ['PutItem'], ['booking']);
    table.allow(this.service, ['Query'], ['ledger']);
    table.allowList(this.service);
  }
}

function submissionVariables({
  submissionBurst,
  submissionRefill,
}: Deployment): Pick<IntakeEnvironment, 'USHER_SUBMISSION_BURST' | 'USHER_SUBMISSION_REFILL'> {
  return {
    ...(submissionBurst === undefined ? {} : { USHER_SUBMISSION_BURST: String(submissionBurst) }),
    ...(submissionRefill === undefined ? {} : { USHER_SUBMISSION_REFILL: String(submissionRefill) }),
  };
}
