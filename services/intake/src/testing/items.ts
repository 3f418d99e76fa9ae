import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { bookingKeyOf, HeaderItem, listKeyOf } from '@usher/contracts';
import { retention, windowAt } from '@usher/limiter-core/bulk';
import { expiresAt, type ItemKey, keys, tableDefinition } from '@usher/limiter-core/bulk/dynamodb';
import { tableName } from './dynalite-table.ts';
import type { TestIntake } from './start-intake.ts';

/** Overwrites one attribute of an item, as nothing of ours would. */
export async function damage(intake: TestIntake, key: ItemKey, attribute: string, value: unknown): Promise<void> {
  await intake.table.client.send(
    new UpdateCommand({
      TableName: tableName,
      Key: { ...key },
      UpdateExpression: 'SET #name = :value',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: { '#name': attribute },
      ExpressionAttributeValues: { ':value': value },
    }),
  );
}

/** The header of a booking as it is stored. */
export async function headerOf(intake: TestIntake, bookingId: string): Promise<HeaderItem> {
  const command = new GetCommand({
    TableName: tableName,
    Key: { ...keys.header(bookingKeyOf(bookingId)) },
    ConsistentRead: true,
  });
  return HeaderItem.assert((await intake.table.client.send(command)).Item);
}

/** Puts the header of an accepted booking of account `acme`, past the API: one row in each of its chunks. */
export async function putHeader(
  intake: TestIntake,
  of: { bookingId: string; acceptedAt: string; chunks?: number },
): Promise<void> {
  const { bookingId, acceptedAt, chunks = 1 } = of;
  const acceptedAtMs = Date.parse(acceptedAt);
  const { byAccount } = tableDefinition;
  const header: HeaderItem = {
    bookingId,
    accountId: 'acme',
    acceptedAt,
    window: { ...windowAt(acceptedAtMs, 'UTC') },
    mode: 'partial',
    total: chunks,
    cut: chunks === 1 ? '1' : `1x${chunks}`,
    digest: 'd'.repeat(64),
    state: 'accepted',
    nonce: 'n',
    expiresAt: expiresAt(acceptedAtMs, retention.headerMs),
  };
  const listed = { [byAccount.partitionKey]: header.accountId, [byAccount.sortKey]: listKeyOf(header) };
  const item = { ...keys.header(bookingKeyOf(bookingId)), ...header, ...listed };
  await intake.table.client.send(new PutCommand({ TableName: tableName, Item: item }));
}

/** The headers of all bookings. */
export async function headersIn(intake: TestIntake): Promise<HeaderItem[]> {
  const items = await intake.table.items();
  return items.filter(({ sk }) => sk === 'header').map((item) => HeaderItem.assert(item));
}
