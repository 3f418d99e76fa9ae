import type { WorkerEnvironment } from '@usher/worker';
import { Construct } from 'constructs';
import type { BookingsQueue } from './bookings-queue.ts';
import type { UsherBus } from './bus.ts';
import type { Deployment } from './config.ts';
import type { DispatchQueue } from './dispatch-queue.ts';
import { worker } from './numbers.ts';
import { ServiceFunction } from './service-function.ts';
import type { StageSettings } from './stage-settings.ts';
import type { UsherTable } from './table.ts';

export interface WorkerProps {
  readonly settings: StageSettings;
  readonly deployment: Deployment;
  readonly table: UsherTable;
  readonly queues: BookingsQueue;
  readonly dispatch: DispatchQueue;
  readonly bus: UsherBus;
}

/** The environment of both Lambdas of the worker service; the same code reads it. */
export function workerEnvironment({ deployment, table, queues, dispatch, bus }: WorkerProps): WorkerEnvironment {
  return {
    USHER_TABLE: table.table.tableName,
    USHER_BUS: bus.bus.eventBusName,
    USHER_DISPATCH_QUEUE_URL: dispatch.dispatch.queue.queueUrl,
    USHER_PACING_QUEUE_URL: dispatch.pacing.queue.queueUrl,
    USHER_QUARANTINE_QUEUE_URL: queues.quarantine.queueUrl,
    USHER_DEFAULT_POLICY: JSON.stringify(deployment.defaultPolicy),
  };
}

/** Settles chunks: the only writer of accounts and of the ledger. */
export class Worker extends Construct {
  readonly service: ServiceFunction;

  constructor(scope: Construct, id: string, props: WorkerProps) {
    super(scope, id);
    const { settings, deployment, table, queues } = props;
    this.service = new ServiceFunction(this, 'Worker', {
      settings,
      service: 'worker',
      handler: 'settleHandler',
      description: 'settles chunks, publishes, dispatches',
      timeoutSeconds: worker.timeoutSeconds,
      memoryMb: worker.memoryMb,
      reservedConcurrency: deployment.reserveConcurrency ? worker.maxConcurrency : undefined,
      environment: workerEnvironment(props),
    });
    this.service.workOff(queues.bookings.queue, worker);
    table.allow(this.service, ['BatchGetItem'], ['account', 'policy', 'ledger']);
    table.allow(this.service, ['UpdateItem'], ['account']);
    // PutItem writes the ledger item of a receipt that was found without one.
    table.allow(this.service, ['BatchWriteItem', 'PutItem'], ['ledger']);
  }
}
