import { Construct } from 'constructs';
import { pacer } from './numbers.ts';
import { ServiceFunction } from './service-function.ts';
import { type WorkerProps, workerEnvironment } from './worker.ts';

/** Passes far slots on when they come within SQS's reach. It is the worker's code; of the table it may claim hops alone. */
export class Pacer extends Construct {
  readonly service: ServiceFunction;

  constructor(scope: Construct, id: string, props: WorkerProps) {
    super(scope, id);
    const { settings, deployment, table, dispatch } = props;
    this.service = new ServiceFunction(this, 'Pacer', {
      settings,
      service: 'worker',
      handler: 'paceHandler',
      description: 'passes far slots on in time',
      timeoutSeconds: pacer.timeoutSeconds,
      memoryMb: pacer.memoryMb,
      reservedConcurrency: deployment.reserveConcurrency ? pacer.maxConcurrency : undefined,
      environment: workerEnvironment(props),
    });
    this.service.workOff(dispatch.pacing.queue, pacer);
    table.allow(this.service, ['UpdateItem'], ['pacing']);
  }
}
