import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { systemRetry } from '../backoff.ts';
import { InvalidArgumentError } from '../errors.ts';
import { Leases } from '../limiter/leases.ts';
import { RefusalMemory } from '../limiter/refusal-memory.ts';
import type { LimitStore } from '../limiter/store.ts';
import { DynamoDbLimitStore } from './dynamodb-limit-store.ts';
import { assertCount, type DynamoDbOptions, layoutOf } from './options.ts';
import { Table } from './table.ts';

/** An attempt's time: two of them and the pause between end before the limiter's deadline of 250 ms. */
const attemptMs = 110;

/**
 * Keeps limits in a DynamoDB table, for all processes that use it. A check is one conditional write, for any number of
 * policies together; a refusal that is remembered needs none. The table is made beforehand: see {@link tableDefinition}.
 *
 * @throws InvalidArgumentError that names the option and what was expected
 */
export function dynamoDb(options: DynamoDbOptions): LimitStore {
  const { client, attempts = client === undefined ? 2 : 1, retry = systemRetry, lease } = options;
  const { refusalCacheMs = 1000, refusalCacheSize = 10_000 } = options;
  const layout = layoutOf(options);
  if (client !== undefined && typeof client?.send !== 'function') {
    throw new InvalidArgumentError('client must be a DynamoDBClient');
  }
  assertCount('attempts', attempts, 1);
  assertCount('refusalCacheMs', refusalCacheMs, 0);
  assertCount('refusalCacheSize', refusalCacheSize, 1);
  let store: LimitStore = new DynamoDbLimitStore(new Table({ client: client ?? newClient(), layout, attempts, retry }));
  if (refusalCacheMs > 0) store = new RefusalMemory(store, { refusalCacheMs, refusalCacheSize });
  return lease === undefined ? store : new Leases(store, lease);
}

/** The store repeats calls itself: the SDK's own pauses, of 500 ms after throttling, are longer than anybody waits. */
function newClient(): DynamoDBClient {
  return new DynamoDBClient({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: attemptMs, requestTimeout: attemptMs, throwOnRequestTimeout: true },
  });
}
