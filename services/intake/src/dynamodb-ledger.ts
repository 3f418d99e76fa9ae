import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { keys, type LedgerEntry, readLedgerItem } from '@usher/limiter-core';
import { reach } from './errors.ts';

/** Reads a booking's decisions. */
export interface LedgerReader {
  /** All entries of a booking, in the order of its chunks, consistently. */
  read(bookingId: string): Promise<readonly LedgerEntry[]>;
  /** How many of the booking's chunks are decided, with their rows. */
  countComplete(bookingId: string, nowMs: number): Promise<number>;
}

/** Reads the ledger by Query, page after page. */
export class DynamoDbLedger implements LedgerReader {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(options: { client: DynamoDBDocumentClient; tableName: string }) {
    this.#client = options.client;
    this.#tableName = options.tableName;
  }

  async read(bookingId: string): Promise<readonly LedgerEntry[]> {
    const entries: LedgerEntry[] = [];
    for await (const { Items = [] } of this.#pages(bookingId, {})) entries.push(...Items.map(readLedgerItem));
    return entries;
  }

  async countComplete(bookingId: string, nowMs: number): Promise<number> {
    let count = 0;
    const filter = { Select: 'COUNT', FilterExpression: 'complete = :yes AND expiresAt > :now' } as const;
    for await (const page of this.#pages(bookingId, filter, { ':yes': true, ':now': nowMs / 1000 }))
      count += page.Count ?? 0;
    return count;
  }

  async *#pages(
    bookingId: string,
    more: { Select?: 'COUNT'; FilterExpression?: string },
    values: Record<string, unknown> = {},
  ): AsyncGenerator<{ Items?: Record<string, unknown>[]; Count?: number | undefined }> {
    const { pk } = keys.header(bookingId);
    let start: Record<string, unknown> | undefined;
    do {
      const command = new QueryCommand({
        TableName: this.#tableName,
        KeyConditionExpression: 'pk = :pk AND begins_with(sk, :chunks)',
        ExpressionAttributeValues: { ':pk': pk, ':chunks': keys.ledgerPrefix, ...values },
        ConsistentRead: true,
        ...(start === undefined ? {} : { ExclusiveStartKey: start }),
        ...more,
      });
      const page = await reach('The table', () => this.#client.send(command));
      yield { Count: page.Count, ...(page.Items === undefined ? {} : { Items: page.Items }) };
      start = page.LastEvaluatedKey;
    } while (start !== undefined);
  }
}
