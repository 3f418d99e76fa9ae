import type { CreateTableCommandInput, UpdateTimeToLiveCommandInput } from '@aws-sdk/client-dynamodb';
import { type DynamoDbOptions, layoutOf } from './options.ts';

/** A table for limits: the inputs of the two calls that make it. */
export interface TableDefinition {
  readonly table: CreateTableCommandInput;
  /** Without it nothing is lost, and nothing is ever deleted. */
  readonly timeToLive: UpdateTimeToLiveCommandInput;
}

/**
 * The table that {@link dynamoDb} expects with the same options, as the inputs of `CreateTableCommand` and
 * `UpdateTimeToLiveCommand`; a CDK table has the same names. The store itself never makes one: it needs GetItem, UpdateItem
 * and DeleteItem, and no more.
 *
 * @example
 * ```ts
 * tableDefinition({ tableName: 'limits' }).table.KeySchema; // [{ AttributeName: 'pk', KeyType: 'HASH' }]
 * ```
 *
 * @throws InvalidArgumentError that names the option and what was expected
 */
export function tableDefinition(
  options: Pick<DynamoDbOptions, 'tableName' | 'partitionKey' | 'ttlAttribute'> & {
    readonly sortKey?: { readonly name: string };
  },
): TableDefinition {
  const { sortKey: given, ...rest } = options;
  const { tableName, partitionKey, sortKey, ttlAttribute } = layoutOf({
    ...rest,
    ...(given !== undefined && { sortKey: { name: given.name, value: 'any' } }),
  });
  const names = [partitionKey, ...(sortKey === undefined ? [] : [sortKey.name])];
  return {
    table: {
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: names.map((AttributeName, i) => ({ AttributeName, KeyType: i === 0 ? 'HASH' : 'RANGE' })),
    },
    timeToLive: {
      TableName: tableName,
      TimeToLiveSpecification: { AttributeName: ttlAttribute, Enabled: true },
    },
  };
}
