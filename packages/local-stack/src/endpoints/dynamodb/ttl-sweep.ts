import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  paginateListTables,
  paginateScan,
} from '@aws-sdk/client-dynamodb';
import type { Clock } from '@usher/limiter-core';

/** The attribute, in every table, that holds an item's expiry in epoch seconds. */
const ttlAttribute = 'expiresAt';

/**
 * Deletes, in all tables, the items whose `expiresAt` has passed, as DynamoDB's time to live does; dynalite has none.
 * Only numbers count. An item whose `expiresAt` has been moved since it was read stays: the delete is conditional on it.
 *
 * @returns the number of items deleted
 */
export async function sweepExpired(client: DynamoDBClient, clock: Clock): Promise<number> {
  let deleted = 0;
  for await (const page of paginateListTables({ client }, {})) {
    for (const table of page.TableNames ?? []) deleted += await sweepTable(client, table, clock);
  }
  return deleted;
}

async function sweepTable(client: DynamoDBClient, table: string, clock: Clock): Promise<number> {
  const keyNames = await keyNamesOf(client, table);
  const names = { '#ttl': ttlAttribute };
  let deleted = 0;
  const expired = {
    TableName: table,
    FilterExpression: 'attribute_type(#ttl, :number) AND #ttl <= :now',
    ProjectionExpression: ['#ttl', ...keyNames.map((_, i) => `#k${i}`)].join(', '),
    ExpressionAttributeNames: { ...names, ...Object.fromEntries(keyNames.map((name, i) => [`#k${i}`, name])) },
    ExpressionAttributeValues: { ':number': { S: 'N' }, ':now': { N: String(Math.floor(clock() / 1000)) } },
  };
  for await (const page of paginateScan({ client }, expired)) {
    for (const item of page.Items ?? []) {
      const { [ttlAttribute]: seen } = item;
      if (seen && (await deleteIfUnmoved(client, { table, key: pick(item, keyNames), seen }))) deleted += 1;
    }
  }
  return deleted;
}

async function keyNamesOf(client: DynamoDBClient, table: string): Promise<string[]> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
  return (Table?.KeySchema ?? []).flatMap(({ AttributeName }) => AttributeName ?? []);
}

const pick = (item: Record<string, AttributeValue>, names: readonly string[]): Record<string, AttributeValue> =>
  Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)));

async function deleteIfUnmoved(
  client: DynamoDBClient,
  item: { table: string; key: Record<string, AttributeValue>; seen: AttributeValue },
): Promise<boolean> {
  try {
    await client.send(
      new DeleteItemCommand({
        TableName: item.table,
        Key: item.key,
        ConditionExpression: '#ttl = :seen',
        ExpressionAttributeNames: { '#ttl': ttlAttribute },
        ExpressionAttributeValues: { ':seen': item.seen },
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}

/** Sweeps every `intervalMs`, never twice at once. Stopping waits for the sweep under way. */
export function startTtlSweep(options: {
  readonly client: DynamoDBClient;
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly onError: (error: unknown) => void;
}): { stop(): Promise<void> } {
  let sweeping: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    sweeping ??= sweepExpired(options.client, options.clock)
      .catch(options.onError)
      .finally(() => {
        sweeping = undefined;
      });
  }, options.intervalMs);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await sweeping;
    },
  };
}
