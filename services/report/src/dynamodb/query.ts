import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';

/** A partition to read, of a table or of an index of it. */
export interface Partition {
  readonly client: DynamoDBDocumentClient;
  readonly tableName: string;
  readonly index?: { readonly indexName: string; readonly partitionKey: string };
  readonly partition: string;
}

/** Every item of a partition in the order of its sort keys, page after page; of a table consistently. */
export async function* itemsOf(of: Partition): AsyncGenerator<Record<string, unknown>> {
  const { client, tableName, index, partition } = of;
  let start: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await client.send(
      new QueryCommand({
        TableName: tableName,
        ...(index === undefined ? { ConsistentRead: true } : { IndexName: index.indexName }),
        KeyConditionExpression: '#pk = :pk',
        ExpressionAttributeNames: { '#pk': index?.partitionKey ?? 'pk' },
        ExpressionAttributeValues: { ':pk': partition },
        ...(start === undefined ? {} : { ExclusiveStartKey: start }),
      }),
    );
    yield* Items;
    start = LastEvaluatedKey;
  } while (start !== undefined);
}
