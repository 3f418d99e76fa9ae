import { workerBatchSize, workerTimeoutSeconds } from '@usher/contracts';
import { virtualClock } from '@usher/limiter-core';
import { pollQueue, type QueueAddress, type SqsBatchHandler } from '@usher/local-stack';
import { createWorker } from '@usher/worker';
import { dieWithParent } from '../support/die-with-parent.ts';
import { connectWith, workerPorts } from '../support/process.ts';
import { at } from '../support/process-faults.ts';
import { readWorkerOrder } from './worker-order.ts';

/**
 * A worker in a process of its own: polls the queues with the real handlers, and kills itself as `kill -9` does at the
 * call that it was told.
 */
dieWithParent();
const { urls, queues, nowMs, dies } = readWorkerOrder(process.argv[2]);
const faults =
  dies === undefined ? {} : at(dies.command, dies.nth, dies.when === 'before' ? 'crash before' : 'crash after');
const { clients } = connectWith(urls, faults, () => {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
});
const clock = virtualClock(nowMs);
const worker = createWorker(workerPorts(clients, queues, clock));
poll(queues.bookings, worker.settle);
poll(queues.pacing, worker.pace);

function poll(queue: QueueAddress, handler: SqsBatchHandler): void {
  pollQueue({
    sqs: clients.sqs,
    queueUrl: queue.url,
    queueArn: queue.arn,
    handler,
    batchSize: workerBatchSize,
    concurrency: 1,
    clock,
    invocationTimeoutMs: workerTimeoutSeconds * 1000,
    onError: (error) => console.error(error),
  });
}
