import { DeleteMessageBatchCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { workerTimeoutSeconds, workQueue } from '@usher/contracts';
import { builtInPolicy, readPolicyFile, type VirtualClock, virtualClock } from '@usher/limiter-core/bulk';
import {
  createResources,
  type Endpoints,
  failedIdsOf,
  type Intercept,
  type QueueAddress,
  type Queues,
  type SqsBatchHandler,
  type StackClients,
  startEndpoints,
  storePolicies,
  tableName,
  toSqsEvent,
} from '@usher/local-stack';
import { reportPorts } from '@usher/local-stack/testing';
import { createReport } from '@usher/report';
import { createWorker } from '@usher/worker';
import { onTestFinished } from 'vitest';
import { type ServiceProcess, startProcess, workerPorts } from './process.ts';
import type { Faults } from './process-faults.ts';
import { recordedIntake } from './recorded-intake.ts';
import { silentLog } from './silent-log.ts';

/** Noon of the day that tests play on. */
export const noon = '2026-11-29T12:00:00.000Z';
/** The visibility of a message: one that nobody deleted is handed out again after so long. */
export const visibilityMs = workQueue.visibilityTimeoutSeconds * 1000;

/** One bulk booking: a row for each cost, called `<key>-0`, `<key>-1` … */
export interface Bulk {
  readonly accountId: string;
  readonly key: string;
  readonly costs: readonly number[];
}

/** An intake process. */
export interface Intake extends ServiceProcess {
  /** Submits a booking as its partner; resolves to 'crashed' where the process died before it answered. */
  submit(booking: Bulk): Promise<Response | 'crashed'>;
  get(accountId: string, path: string): Promise<Response>;
}

/** One batch's messages by id: those received, and those handed back. */
export interface Delivery {
  readonly received: readonly string[];
  readonly handedBack: readonly string[];
}

/** A worker process. */
export interface Worker extends ServiceProcess {
  /** Takes one batch from the bookings queue, works it off and deletes what succeeded, as Lambda's poller does. */
  settle(): Promise<Delivery | 'crashed'>;
  /** The same for the pacing queue. */
  pace(): Promise<Delivery | 'crashed'>;
}

/** A process of the report's consumer. */
export interface Reporter extends ServiceProcess {
  /** Takes one batch from the report's queue, stores its events and deletes what succeeded, as Lambda's poller does. */
  consume(): Promise<Delivery | 'crashed'>;
}

/** Real endpoints at a time of the test's choosing, and as many processes of the services as it wants. */
export interface World {
  readonly clock: VirtualClock;
  readonly endpoints: Endpoints;
  readonly queues: Queues;
  /** Clients in which nothing goes wrong, to look at what the services did. */
  readonly clients: StackClients;
  /** Replaces the hook that every call of the endpoints passes from now on. */
  intercept(hook: Intercept): void;
  /** Makes these the overrides of all accounts' policies. */
  setPolicies(accounts: Readonly<Record<string, object>>): Promise<void>;
  intake(faults?: Faults): Intake;
  worker(faults?: Faults): Worker;
  reporter(faults?: Faults): Reporter;
}

/** Starts a world in memory, which ends with the test. */
export async function startWorld(accounts: Readonly<Record<string, object>> = {}): Promise<World> {
  const clock = virtualClock(noon);
  let hook: Intercept = () => 'pass';
  const endpoints = await startEndpoints({ clock, intercept: (call) => hook(call) });
  const processes: ServiceProcess[] = [];
  onTestFinished(async () => {
    for (const process of processes) process.destroy();
    await endpoints.close();
  });
  const start = (faults: Faults): ServiceProcess => {
    const process = startProcess(endpoints, faults);
    processes.push(process);
    return process;
  };
  const { clients } = start({});
  const queues = await createResources(clients);
  const world: World = {
    clock,
    endpoints,
    queues,
    clients,
    intercept: (next) => {
      hook = next;
    },
    setPolicies: async (overrides) => {
      await storePolicies(clients.dynamoDb, tableName, {
        policies: readPolicyFile({ accounts: overrides }),
        nowMs: clock(),
      });
    },
    intake: (faults = {}) => intakeOf(start(faults), queues, clock),
    worker: (faults = {}) => workerOf(start(faults), queues, clock),
    reporter: (faults = {}) => reporterOf(start(faults), queues, clock),
  };
  await world.setPolicies(accounts);
  return world;
}

function intakeOf(process: ServiceProcess, queues: Queues, clock: VirtualClock): Intake {
  const { dynamoDb, sqs } = process.clients;
  const { app } = recordedIntake({ dynamoDb, sqs, clock, bookingsQueueUrl: queues.bookings.url });
  return {
    ...process,
    submit: ({ accountId, key, costs }) => {
      const reservations = costs.map((cost, row) => ({ id: `${key}-${row}`, cost }));
      const answer = app.request('/v1/bookings', {
        method: 'POST',
        headers: { Authorization: accountId, 'Content-Type': 'application/json', 'Idempotency-Key': key },
        body: JSON.stringify({ reservations }),
      });
      return Promise.race([answer, process.crashed]);
    },
    get: async (accountId, path) => app.request(path, { headers: { Authorization: accountId } }),
  };
}

function workerOf(process: ServiceProcess, queues: Queues, clock: VirtualClock): Worker {
  const { settle, pace } = createWorker(workerPorts(process.clients, queues, clock));
  const orCrash = (delivery: Promise<Delivery>) => Promise.race([delivery, process.crashed]);
  return {
    ...process,
    settle: () => orCrash(deliver(process, queues.bookings, settle)),
    pace: () => orCrash(deliver(process, queues.pacing, pace)),
  };
}

function reporterOf(process: ServiceProcess, queues: Queues, clock: VirtualClock): Reporter {
  // It writes no report, so the folder of their files is never touched.
  const options = { clock, log: silentLog, defaultPolicy: builtInPolicy, reportsDir: '' };
  const { consume } = createReport(reportPorts(process.clients, queues, options));
  return {
    ...process,
    consume: () => Promise.race([deliver(process, queues.report, consume), process.crashed]),
  };
}

async function deliver(
  { clients: { sqs } }: ServiceProcess,
  { url: QueueUrl, arn }: QueueAddress,
  handler: SqsBatchHandler,
): Promise<Delivery> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All'] }),
  );
  const received = Messages.map(({ MessageId = '' }) => MessageId);
  if (received.length === 0) return { received, handedBack: [] };
  const failed = failedIdsOf(await handler(toSqsEvent(Messages, arn), context), received);
  const Entries = Messages.filter(({ MessageId = '' }) => !failed.has(MessageId)).map(({ ReceiptHandle }, i) => ({
    Id: String(i),
    ReceiptHandle,
  }));
  if (Entries.length > 0) await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
  return { received, handedBack: [...failed] };
}

const context = {
  callbackWaitsForEmptyEventLoop: true,
  functionName: 'worker',
  functionVersion: '$LATEST',
  invokedFunctionArn: 'arn:aws:lambda:eu-central-1:000000000000:function:worker',
  memoryLimitInMB: '512',
  awsRequestId: 'request',
  logGroupName: '/aws/lambda/worker',
  logStreamName: 'local',
  getRemainingTimeInMillis: () => workerTimeoutSeconds * 1000,
};
