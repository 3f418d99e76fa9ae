import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { eventBusName } from '@usher/contracts';
import { builtInPolicy, type Clock, type RetryEnvironment } from '@usher/limiter-core/bulk';
import { DynamoDbAccountStore, DynamoDbHopStore } from '@usher/limiter-core/bulk/dynamodb';
import { type Endpoints, type Queues, type StackClients, tableName } from '@usher/local-stack';
import { localClientConfig } from '@usher/loopback';
import { silentMeter } from '@usher/service';
import { type clientDefaults, longestCallMs, type WorkerPorts } from '@usher/worker';
import { type Crash, type Faults, injectFaults } from './process-faults.ts';
import { silentLog } from './silent-log.ts';

/** Retries that lose no time. */
export const instantRetry: RetryEnvironment = { sleep: async () => undefined, random: () => 0 };

export type EndpointUrls = Pick<Endpoints, 'dynamoDbUrl' | 'sqsUrl' | 'eventBridgeUrl'>;

/** One process of a service: SDK clients of its own, with its own faults in them. */
export interface ServiceProcess {
  readonly clients: StackClients;
  /** The commands of all requests it made. */
  readonly requests: readonly string[];
  /** Resolves at the moment of its crash. From then on none of its calls is made or answered any more. */
  readonly crashed: Promise<'crashed'>;
  destroy(): void;
}

/** Starts a process whose crash ends only what it does itself. */
export function startProcess(urls: EndpointUrls, faults: Faults): ServiceProcess {
  const { promise: crashed, resolve } = Promise.withResolvers<'crashed'>();
  let isDead = false;
  const never = new Promise<never>(() => undefined);
  const crash: Crash = () => {
    isDead = true;
    resolve('crashed');
    return never;
  };
  const mortal: Faults = { ...faults, onRequest: (request) => (isDead ? 'crash before' : faults.onRequest?.(request)) };
  return { ...connectWith(urls, mortal, crash), crashed };
}

/** The crash of a process without faults: it is never called. */
export const noCrash: Crash = () => Promise.reject(new Error('There is no fault to die of.'));

/**
 * Clients with faults in them, connected to endpoints. They wait as long as loopback clients do unless told the services'
 * own bounds.
 */
export function connectWith(
  urls: EndpointUrls,
  faults: Faults,
  crash: Crash,
  bounds: Partial<typeof clientDefaults> = {},
): Omit<ServiceProcess, 'crashed'> {
  const config = (url: string) => ({ ...localClientConfig(url), ...bounds });
  const base = new DynamoDBClient(config(urls.dynamoDbUrl));
  // A long poll is answered after 20 seconds only.
  const sqs = new SQSClient(localClientConfig(urls.sqsUrl));
  const eventBridge = new EventBridgeClient(config(urls.eventBridgeUrl));
  const requests = injectFaults({ dynamoDb: base, sqs, eventBridge }, faults, crash);
  return {
    clients: { dynamoDb: DynamoDBDocumentClient.from(base), sqs, eventBridge },
    requests,
    destroy: () => {
      for (const client of [base, sqs, eventBridge]) client.destroy();
    },
  };
}

/** The ports of a worker on these clients and queues, with retries that lose no time. */
export function workerPorts(clients: StackClients, queues: Queues, clock: Clock): WorkerPorts {
  const { dynamoDb, sqs, eventBridge } = clients;
  return {
    config: {
      tableName,
      eventBusName,
      dispatchQueueUrl: queues.dispatch.url,
      pacingQueueUrl: queues.pacing.url,
      quarantineQueueUrl: queues.quarantine.url,
      defaultPolicy: builtInPolicy,
      deadlineMarginMs: longestCallMs,
    },
    accounts: new DynamoDbAccountStore({ client: dynamoDb, tableName, retry: instantRetry }),
    hops: new DynamoDbHopStore({ client: dynamoDb, tableName }),
    sqs,
    eventBridge,
    clock,
    randomId: randomUUID,
    retry: instantRetry,
    log: silentLog,
    meter: silentMeter,
  };
}
