import { systemClock, systemRetry } from '@usher/limiter-core/bulk';
import { DynamoDbAccountStore } from '@usher/limiter-core/bulk/dynamodb';
import { tableName } from '@usher/local-stack';
import { clientDefaults, createWorker } from '@usher/worker';
import { dieWithParent } from '../support/die-with-parent.ts';
import { connectWith, noCrash, workerPorts } from '../support/process.ts';
import { readAddresses } from './messages.ts';
import { impatientPolling } from './polling.ts';

/** A worker in a process of its own, as Lambda would run it. Writes a line when it polls, then one for each batch. */
dieWithParent();
const { urls, queues } = readAddresses.assert(process.argv[2]);
const { clients } = connectWith(urls, {}, noCrash, clientDefaults);
const worker = createWorker({
  ...workerPorts(clients, queues, systemClock),
  accounts: new DynamoDbAccountStore({ client: clients.dynamoDb, tableName, retry: systemRetry }),
  retry: systemRetry,
});
const poll = impatientPolling(clients.sqs);

poll(queues.bookings, { concurrency: 2, handler: worker.settle });
poll(queues.pacing, { concurrency: 1, handler: worker.pace });
process.stdout.write('polling\n');
