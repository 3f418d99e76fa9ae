import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Clock } from '@usher/limiter-core';
import { localClientConfig } from '@usher/loopback';
import { openDatabase } from './database.ts';
import { serveDynamoDb } from './dynamodb/endpoint.ts';
import { startTtlSweep } from './dynamodb/ttl-sweep.ts';
import type { RunningEndpoint } from './endpoint-server.ts';
import { serveEventBridge } from './eventbridge/endpoint.ts';
import type { Intercept } from './intercept.ts';
import { openSqsStores, serveSqs } from './sqs/endpoint.ts';

export interface EndpointsOptions {
  /** The folder that everything is kept in. Absent: in memory, gone with the process. */
  readonly dataDir?: string;
  /** Time of visibility, delays, deduplication, retention and expiry. */
  readonly clock: Clock;
  /** Ports to listen on. Absent or 0: a free one. */
  readonly ports?: { readonly dynamoDb?: number; readonly sqs?: number; readonly eventBridge?: number };
  /** The time between two sweeps of items past their `expiresAt`. Absent: no sweep; DynamoDB may take its time too. */
  readonly ttlSweepIntervalMs?: number;
  /** A hook on every call, for tests. The sweep's own calls pass through it as well. */
  readonly intercept?: Intercept;
  /** Faults of the endpoints themselves. @default a line on stderr */
  readonly onError?: (error: unknown) => void;
}

export interface Endpoints {
  readonly dynamoDbUrl: string;
  readonly sqsUrl: string;
  readonly eventBridgeUrl: string;
  /** Has long polls look again, after the given clock was moved: they wait on real time and would not notice. */
  wake(): void;
  /** Ends long polls, lets running calls finish, closes the ports and then the data folder. */
  close(): Promise<void>;
}

/**
 * Starts DynamoDB, SQS and EventBridge on 127.0.0.1, each on a port of its own, for the real AWS SDK clients.
 *
 * @throws DataFolderInUseError when another stack runs on the folder.
 */
export async function startEndpoints(options: EndpointsOptions): Promise<Endpoints> {
  const { clock, dataDir, ports, intercept } = options;
  const onError = options.onError ?? ((error) => console.error('local-stack endpoint failed:', error));
  const database = openDatabase(dataDir);
  const running: RunningEndpoint[] = [];
  const started = async (starting: Promise<RunningEndpoint>): Promise<RunningEndpoint> => {
    const endpoint = await starting;
    running.push(endpoint);
    return endpoint;
  };
  const closeAll = async (): Promise<void> => {
    const closed = await Promise.allSettled(running.map((endpoint) => endpoint.close()));
    database.close();
    for (const result of closed) if (result.status === 'rejected') throw result.reason;
  };

  try {
    const stores = openSqsStores(database, clock);
    const path = dataDir === undefined ? undefined : join(dataDir, 'dynamodb');
    const dynamoDb = await started(serveDynamoDb({ path, port: ports?.dynamoDb, intercept, onError }));
    const sqs = await started(serveSqs(stores, { port: ports?.sqs, intercept, onError }));
    const eventBridge = await started(serveEventBridge(stores, { port: ports?.eventBridge, intercept, onError }));
    const sweeper = sweepOf(dynamoDb.url, { clock, intervalMs: options.ttlSweepIntervalMs, onError });
    return {
      dynamoDbUrl: dynamoDb.url,
      sqsUrl: sqs.url,
      eventBridgeUrl: eventBridge.url,
      wake: stores.waiters.notifyAll,
      close: async () => {
        await sweeper.stop();
        await closeAll();
      },
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

function sweepOf(
  url: string,
  options: { clock: Clock; intervalMs: number | undefined; onError: (error: unknown) => void },
): { stop(): Promise<void> } {
  if (options.intervalMs === undefined) return { stop: async () => {} };
  const client = new DynamoDBClient(localClientConfig(url));
  const sweep = startTtlSweep({ ...options, client, intervalMs: options.intervalMs });
  return {
    stop: async () => {
      await sweep.stop();
      client.destroy();
    },
  };
}
