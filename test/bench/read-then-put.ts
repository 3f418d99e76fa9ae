import { ConditionalCheckFailedException, type DynamoDB } from '@aws-sdk/client-dynamodb';
import { jitteredMs, systemClock, systemRetry } from '@usher/limiter-core/bulk';
import { newClient } from './client.ts';
import { type Contender, WrongResultError } from './contender.ts';
import { limiterContender } from './limiter-contender.ts';
import { meter } from './meter.ts';
import { rateLimiterKeys } from './rate-limiter-flexible.ts';
import { bucketTable } from './tables.ts';

const name = 'read, then conditional put';
const secondsPerDay = 86_400;

/** A lost race is tried again after a short pause with jitter, about the time of one read and one write. */
const maxAttempts = 50;
const pauseBaseMs = 2;
const pauseCapMs = 50;

/** A token bucket as its item holds it. `version` is raised by every write. */
interface Bucket {
  readonly tokens: number;
  readonly filledAt: number;
  readonly version: number;
}

/**
 * The token bucket most often built on DynamoDB: read the item consistently, refill by the time gone by, put it back
 * under the condition that its version is the one that was read, and on a conflict begin again. One per reservation; a
 * denial writes nothing. The bucket holds a day's limit and takes a day to fill, so no token returns within a run.
 */
export function readThenPut(endpoint: string, reservationsPerAccount: number): Contender {
  const client = newClient(endpoint);
  return limiterContender({
    key: 'read-then-put',
    name,
    algorithm: 'token bucket',
    endpoint: 'DynamoDB',
    baseline: rateLimiterKeys.DynamoDB,
    reservationsPerAccount,
    widths: [8, 16, 32],
    takeTally: meter(client),
    open: (limit) => async (accountId) => ((await take(client, accountId, limit)) ? 1 : 0),
    verify: async (accountId, limit) => {
      const bucket = await read(client, accountId);
      if (bucket?.version !== limit) {
        throw new WrongResultError(name, accountId, `${bucket?.version ?? 0} tokens were taken of ${limit}`);
      }
    },
    close: () => client.destroy(),
  });
}

async function take(client: DynamoDB, accountId: string, capacity: number): Promise<boolean> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const seen = await read(client, accountId);
    const now = systemClock();
    const tokens = tokensAt(seen, capacity, now);
    if (tokens < 1) return false;
    const next: Bucket = { tokens: tokens - 1, filledAt: now, version: (seen?.version ?? 0) + 1 };
    if (await put(client, accountId, next, seen)) return true;
    await systemRetry.sleep(jitteredMs(attempt, systemRetry.random, pauseBaseMs, pauseCapMs));
  }
  throw new Error(`The bucket of ${accountId} was changed by others ${maxAttempts} times in a row.`);
}

function tokensAt(bucket: Bucket | undefined, capacity: number, now: number): number {
  if (bucket === undefined) return capacity;
  const seconds = Math.max(0, now - bucket.filledAt) / 1000;
  return Math.min(capacity, bucket.tokens + (seconds * capacity) / secondsPerDay);
}

async function read(client: DynamoDB, accountId: string): Promise<Bucket | undefined> {
  const { Item } = await client.getItem({
    TableName: bucketTable,
    Key: { accountId: { S: accountId } },
    ConsistentRead: true,
  });
  if (Item === undefined) return undefined;
  return { tokens: Number(Item.tokens?.N), filledAt: Number(Item.filledAt?.N), version: Number(Item.version?.N) };
}

async function put(client: DynamoDB, accountId: string, next: Bucket, seen: Bucket | undefined): Promise<boolean> {
  const condition =
    seen === undefined
      ? { ConditionExpression: 'attribute_not_exists(accountId)' }
      : {
          ConditionExpression: 'version = :seen',
          ExpressionAttributeValues: { ':seen': { N: String(seen.version) } },
        };
  try {
    await client.putItem({
      TableName: bucketTable,
      Item: {
        accountId: { S: accountId },
        tokens: { N: String(next.tokens) },
        filledAt: { N: String(next.filledAt) },
        version: { N: String(next.version) },
      },
      ...condition,
    });
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
