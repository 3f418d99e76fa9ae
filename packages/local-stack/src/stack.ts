import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { eventBusName, workerBatchSize, workerTimeoutSeconds } from '@usher/contracts';
import { createIntake, defaultSubmissionRate } from '@usher/intake';
import { builtInPolicy, type Clock, type Policy, type PolicySet, systemRetry } from '@usher/limiter-core/bulk';
import { DynamoDbAccountStore, DynamoDbHopStore, documentTranslation } from '@usher/limiter-core/bulk/dynamodb';
import { localClientConfig } from '@usher/loopback';
import { beginReports, createReport, type ReportService } from '@usher/report';
import { errorFields, type Log, silentMeter } from '@usher/service';
import { createWorker, longestCallMs } from '@usher/worker';
import { devTokenCaller } from './dev-token.ts';
import { type Intercept, passAll } from './endpoints/intercept.ts';
import { type Endpoints, startEndpoints } from './endpoints/start-endpoints.ts';
import { DataFolderOutdatedError } from './errors.ts';
import { serveIntake } from './intake-server.ts';
import { type Poller, pollQueue, type SqsBatchHandler } from './poll.ts';
import { scheduleCloser } from './report-closer.ts';
import { reportPorts } from './report-ports.ts';
import { createResources, missingIndexes, type QueueAddress, type Queues, tableName } from './resources.ts';
import { type PolicyChanges, storePolicies } from './stored-policies.ts';

export interface StackOptions {
  /** The folder of everything that is kept; two stacks never share one. */
  readonly dataDir: string;
  /** The folder of reports. @default `reports` in the data's folder */
  readonly reportsDir?: string;
  /** The port of the HTTP API; 0 for a free one. */
  readonly port: number;
  /** Absent: what accounts' policies are stored stays, and the built-in default holds. */
  readonly policies: PolicySet | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** A hook on every call of the services in place of AWS, for tests. */
  readonly intercept?: Intercept | undefined;
}

/** The clients that every part of a stack uses, with its endpoints in place of AWS's. */
export interface StackClients {
  readonly dynamoDb: DynamoDBDocumentClient;
  readonly sqs: SQSClient;
  readonly eventBridge: EventBridgeClient;
}

export interface Stack {
  /** The HTTP API. */
  readonly url: string;
  readonly clients: StackClients;
  readonly queues: Queues;
  readonly endpoints: Endpoints;
  /** Accounts whose stored policies the start changed, and those it did not. */
  readonly policies: PolicyChanges;
  /** The folder of reports. */
  readonly reportsDir: string;
  /** Writes every report that is due now, besides those of the schedule. */
  closeDays(): Promise<void>;
  /** Finishes what is under way and stops; the folder can be used again. */
  close(): Promise<void>;
}

/**
 * Starts all of Usher in this process on 127.0.0.1: the endpoints in place of AWS, the intake over HTTP, and pollers
 * that feed the worker's handlers as Lambda would. A stack that was stopped in any way is resumed by the next one on its folder.
 *
 * @throws DataFolderInUseError, DataFolderUnusableError, DataFolderOutdatedError, PortUnavailableError
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { dataDir, clock, log, policies, intercept = passAll } = options;
  const defaultPolicy = policies?.defaultPolicy ?? builtInPolicy;
  const onError = (error: unknown): void =>
    log.error('The embedded stack failed at something and tries again', errorFields(error));
  const endpoints = await startEndpoints({ dataDir, clock, ttlSweepIntervalMs: 60_000, intercept, onError });
  const clients = connect(endpoints);
  try {
    // Items of before an index lack its keys, so that an index added now would not show them.
    const missing = await missingIndexes(clients.dynamoDb);
    if (missing.length > 0) throw new DataFolderOutdatedError(dataDir, missing);
    const queues = await createResources(clients);
    const changes = await storePolicies(clients.dynamoDb, tableName, { policies, nowMs: clock() });
    const app = createIntake({
      config: {
        tableName,
        bookingsQueueUrl: queues.bookings.url,
        defaultPolicy,
        submission: defaultSubmissionRate,
      },
      ...clients,
      authenticate: devTokenCaller,
      clock,
      randomId: randomUUID,
      retry: systemRetry,
      log,
      meter: silentMeter,
    });
    const server = await serveIntake((request) => app.fetch(request), { port: options.port });
    const reportsDir = options.reportsDir ?? join(dataDir, 'reports');
    const ports = reportPorts(clients, queues, { clock, log, defaultPolicy, reportsDir });
    await beginReports(ports.runs, clock());
    // The folder is this stack's alone, and its closer runs one at a time: who had claimed a run is gone.
    const report = createReport({ ...ports, runLeaseMs: 0 });
    const pollers = startPollers(clients, queues, { ...options, defaultPolicy, onError, report });
    const closer = scheduleCloser({ close: report.close, clock, onError });
    return {
      url: server.url,
      clients,
      queues,
      endpoints,
      policies: changes,
      reportsDir,
      closeDays: closer.run,
      close: async () => {
        await server.close();
        await closer.stop();
        await Promise.all(pollers.map((poller) => poller.close()));
        disconnect(clients);
        await endpoints.close();
      },
    };
  } catch (error) {
    disconnect(clients);
    await endpoints.close();
    throw error;
  }
}

function startPollers(
  clients: StackClients,
  queues: Queues,
  {
    clock,
    log,
    defaultPolicy,
    onError,
    report,
  }: Pick<StackOptions, 'clock' | 'log'> & {
    readonly defaultPolicy: Policy;
    readonly onError: (error: unknown) => void;
    readonly report: ReportService;
  },
): Poller[] {
  const worker = createWorker({
    config: {
      tableName,
      eventBusName,
      dispatchQueueUrl: queues.dispatch.url,
      pacingQueueUrl: queues.pacing.url,
      quarantineQueueUrl: queues.quarantine.url,
      defaultPolicy,
      deadlineMarginMs: longestCallMs,
    },
    accounts: new DynamoDbAccountStore({ client: clients.dynamoDb, tableName }),
    hops: new DynamoDbHopStore({ client: clients.dynamoDb, tableName }),
    sqs: clients.sqs,
    eventBridge: clients.eventBridge,
    clock,
    randomId: randomUUID,
    retry: systemRetry,
    log,
    meter: silentMeter,
  });
  const poll = (queue: QueueAddress, concurrency: number, handler: SqsBatchHandler): Poller =>
    pollQueue({
      sqs: clients.sqs,
      queueUrl: queue.url,
      queueArn: queue.arn,
      handler,
      batchSize: workerBatchSize,
      concurrency,
      clock,
      invocationTimeoutMs: workerTimeoutSeconds * 1000,
      onError,
      // Someone is watching this stack: what failed comes back soon, not after six timeouts.
      retryAfterSeconds: 2,
    });
  return [
    poll(queues.bookings, 4, worker.settle),
    poll(queues.pacing, 1, worker.pace),
    poll(queues.report, 1, report.consume),
  ];
}

function connect({ dynamoDbUrl, sqsUrl, eventBridgeUrl }: Endpoints): StackClients {
  return {
    dynamoDb: DynamoDBDocumentClient.from(new DynamoDBClient(localClientConfig(dynamoDbUrl)), documentTranslation),
    sqs: new SQSClient(localClientConfig(sqsUrl)),
    eventBridge: new EventBridgeClient(localClientConfig(eventBridgeUrl)),
  };
}

function disconnect({ dynamoDb, sqs, eventBridge }: StackClients): void {
  for (const client of [dynamoDb, sqs, eventBridge]) client.destroy();
}
