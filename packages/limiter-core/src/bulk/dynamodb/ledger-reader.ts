import { type DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { CorruptItemError } from '../../errors.ts';
import type { ChunkRange, LedgerEntry, LedgerPart, LedgerReader } from '../ledger.ts';
import { keys } from './keys.ts';
import { readLedgerItem } from './ledger-item.ts';

type Item = Record<string, unknown>;

/** A ledger reader on DynamoDB: one Query of a range of sort keys, page after page. */
export class DynamoDbLedgerReader implements LedgerReader {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(options: { client: DynamoDBDocumentClient; tableName: string }) {
    this.#client = options.client;
    this.#tableName = options.tableName;
  }

  async read(range: ChunkRange): Promise<LedgerPart> {
    const entries: LedgerEntry[] = [];
    const unreadable: CorruptItemError[] = [];
    for await (const item of this.#items(range)) {
      try {
        entries.push(readLedgerItem(item));
      } catch (error) {
        if (!(error instanceof CorruptItemError)) throw error;
        unreadable.push(error);
      }
    }
    return { entries, unreadable };
  }

  async *#items({ bookingId, first, last }: ChunkRange): AsyncGenerator<Item> {
    const from = keys.ledger({ bookingId, chunkIndex: first });
    const to = keys.ledger({ bookingId, chunkIndex: last });
    let start: Item | undefined;
    do {
      const command = new QueryCommand({
        TableName: this.#tableName,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
        ExpressionAttributeValues: { ':pk': from.pk, ':from': from.sk, ':to': to.sk },
        ConsistentRead: true,
        ...(start === undefined ? {} : { ExclusiveStartKey: start }),
      });
      const { Items = [], LastEvaluatedKey } = await this.#client.send(command);
      yield* Items;
      start = LastEvaluatedKey;
    } while (start !== undefined);
  }
}
