import { workerBatchSize, workerTimeoutSeconds } from '@usher/contracts';
import { systemClock, systemRetry } from '@usher/limiter-core/bulk';
import { DynamoDbAccountStore } from '@usher/limiter-core/bulk/dynamodb';
import { pollQueue, type QueueAddress, type SqsBatchHandler, tableName } from '@usher/local-stack';
import { clientDefaults, createWorker } from '@usher/worker';
import { dieWithParent } from '../support/die-with-parent.ts';
import { connectWith, noCrash, workerPorts } from '../support/process.ts';
import { readAddresses } from './messages.ts';

/** A worker in a process of its own, as Lambda would run it. Writes a line when it polls, then one for each batch. */
dieWithParent();
const { urls, queues } = readAddresses.assert(process.argv[2]);
const { clients } = connectWith(urls, {}, noCrash, clientDefaults);
const worker = createWorker({
  ...workerPorts(clients, queues, systemClock),
  accounts: new DynamoDbAccountStore({ client: clients.dynamoDb, tableName, retry: systemRetry }),
  retry: systemRetry,
});

/**
 * The visibility of a received message, three seconds instead of three minutes: a killed worker's messages come back
 * soon. It is shorter than a batch may take, so two workers often have the same messages.
 */
const visibilitySeconds = 3;
clients.sqs.middlewareStack.add(
  (next, { commandName }) =>
    (args) =>
      next(commandName === 'ReceiveMessageCommand' ? hiddenFor(visibilitySeconds, args) : args),
  { step: 'initialize', name: 'shortVisibility' },
);
poll(queues.bookings, 2, worker.settle);
poll(queues.pacing, 1, worker.pace);
process.stdout.write('polling\n');

function poll(queue: QueueAddress, concurrency: number, handler: SqsBatchHandler): void {
  pollQueue({
    sqs: clients.sqs,
    queueUrl: queue.url,
    queueArn: queue.arn,
    handler: (event, context) => {
      const times = event.Records.map(({ attributes }) => Number(attributes.ApproximateReceiveCount));
      const report = {
        messages: times.length,
        redelivered: times.filter((one) => one > 1).length,
        mostDeliveries: Math.max(...times),
      };
      process.stdout.write(`${JSON.stringify(report)}\n`);
      return handler(event, context);
    },
    batchSize: workerBatchSize,
    concurrency,
    clock: systemClock,
    invocationTimeoutMs: workerTimeoutSeconds * 1000,
    pollErrorDelayMs: 200,
    // Calls fail here on purpose; what the worker makes of it is told by the books.
    onError: () => undefined,
  });
}

function hiddenFor<A extends { input: object }>(VisibilityTimeout: number, args: A): A {
  return { ...args, input: { ...args.input, VisibilityTimeout } };
}
