import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';

/** A table by the names of its keys, which are strings. */
export interface TableKeys {
  readonly tableName: string;
  readonly partitionKey: string;
  readonly sortKey?: string;
  readonly byAccount?: IndexKeys;
  readonly byDay?: IndexKeys;
}

/** An index by the names of its keys, and what it has of the items beside theirs. */
interface IndexKeys {
  readonly indexName: string;
  readonly partitionKey: string;
  readonly sortKey: string;
  readonly projection: 'ALL' | 'KEYS_ONLY' | 'INCLUDE';
  readonly nonKeyAttributes?: readonly string[];
}

/** A table was asked for and did not become ready. */
export class TableNotActiveError extends Error {
  override readonly name = 'TableNotActiveError';
}

/** The most looks at a table before it is given up: far more than any machine needs. */
const maxDescribes = 1_000;
const pauseMs = 20;

/**
 * Makes a table where it is not there yet, and answers once it is ACTIVE. DynamoDB, dynalite too, answers CreateTable
 * before the table can be used; a write right after it fails on a busy machine.
 *
 * @throws TableNotActiveError
 */
export async function createTable(
  client: DynamoDBClient,
  keys: TableKeys,
  retry: { readonly sleep: (ms: number) => Promise<void> },
): Promise<void> {
  try {
    await client.send(new CreateTableCommand(requestFor(keys)));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  let status: string | undefined;
  for (let described = 0; described < maxDescribes; described++) {
    if (described > 0) await retry.sleep(pauseMs);
    const { Table } = await client.send(new DescribeTableCommand({ TableName: keys.tableName }));
    status = Table?.TableStatus;
    if (status === 'ACTIVE') return;
  }
  throw new TableNotActiveError(`Table ${keys.tableName} is ${status} after ${maxDescribes} looks at it, not ACTIVE`);
}

function requestFor({ tableName, partitionKey, sortKey, byAccount, byDay }: TableKeys) {
  const indexes = [byAccount, byDay].filter((index) => index !== undefined);
  const names = [partitionKey, sortKey, ...indexes.flatMap((index) => [index.partitionKey, index.sortKey])].filter(
    (name) => name !== undefined,
  );
  return {
    TableName: tableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' as const })),
    KeySchema: keySchema(partitionKey, sortKey),
    ...(indexes.length > 0 && {
      GlobalSecondaryIndexes: indexes.map((index) => ({
        IndexName: index.indexName,
        KeySchema: keySchema(index.partitionKey, index.sortKey),
        Projection: {
          ProjectionType: index.projection,
          ...(index.nonKeyAttributes && { NonKeyAttributes: [...index.nonKeyAttributes] }),
        },
      })),
    }),
  } as const;
}

function keySchema(hash: string, range: string | undefined): { AttributeName: string; KeyType: 'HASH' | 'RANGE' }[] {
  const partition = { AttributeName: hash, KeyType: 'HASH' } as const;
  return range === undefined ? [partition] : [partition, { AttributeName: range, KeyType: 'RANGE' }];
}
