import { Settler } from '@usher/limiter-core/bulk';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { beginInvocation } from './invocation.ts';
import { paceBatch } from './pace-batch.ts';
import type { Deadline, WorkerPorts } from './ports.ts';
import { settleBatch } from './settle-batch.ts';

/** The worker's two handlers. Both answer which messages have to come again, in Lambda's shape. */
export interface Worker {
  /** Works off one batch of the bookings queue. */
  settle(event: SQSEvent, deadline: Deadline): Promise<SQSBatchResponse>;
  /** Works off one batch of the pacing queue. */
  pace(event: SQSEvent, deadline: Deadline): Promise<SQSBatchResponse>;
}

/** Makes the worker. Between batches it keeps nothing but the settler's memory, which saves reads and decides nothing. */
export function createWorker(ports: WorkerPorts): Worker {
  const { accounts: store, config, clock, retry } = ports;
  const settler = new Settler({ store, defaultPolicy: config.defaultPolicy, clock, retry });
  return {
    settle: (event, deadline) => settleBatch(event, settler, beginInvocation(ports, deadline)),
    pace: (event, deadline) => paceBatch(event, beginInvocation(ports, deadline)),
  };
}
