import { type DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { CorruptItemError } from '../errors.ts';
import type { BookingLedger, ChunkKey, DecidedCounts, LedgerEntry, LedgerReader } from '../ledger.ts';
import { amounts } from '../outcome.ts';
import { keys } from './keys.ts';
import { readLedgerItem } from './ledger-item.ts';
import { isExpired } from './ttl.ts';

type Item = Record<string, unknown>;

/** The attributes that counting reads. Rows' ids are most of an item's bytes, and stay where they are. */
const countedAttributes = 'pk, sk, accountId, outcome, complete, expiresAt';

/** A ledger reader on DynamoDB: GetItem, and Query page after page. */
export class DynamoDbLedgerReader implements LedgerReader {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(options: { client: DynamoDBDocumentClient; tableName: string }) {
    this.#client = options.client;
    this.#tableName = options.tableName;
  }

  async read(bookingId: string, nowMs: number): Promise<BookingLedger> {
    const entries: LedgerEntry[] = [];
    const unreadable: CorruptItemError[] = [];
    for await (const item of this.#items(bookingId, nowMs)) {
      try {
        entries.push(readLedgerItem(item));
      } catch (error) {
        if (!(error instanceof CorruptItemError)) throw error;
        unreadable.push(error);
      }
    }
    return { entries, unreadable };
  }

  async countDecided({ bookingId, chunks }: { bookingId: string; chunks: number }, nowMs: number) {
    // An account's chunks are decided in their order, but for those that an operator redrives.
    const last = await this.#get({ bookingId, chunkIndex: chunks - 1 });
    if (last === undefined || !isDecided(last, nowMs)) return null;
    if (chunks === 1) return countsIn([last]);
    const decided: Item[] = [];
    for await (const item of this.#items(bookingId, nowMs, countedAttributes)) {
      if (isDecided(item, nowMs)) decided.push(item);
    }
    return decided.length === chunks ? countsIn(decided) : null;
  }

  async #get(chunk: ChunkKey): Promise<Item | undefined> {
    const command = new GetCommand({
      TableName: this.#tableName,
      Key: { ...keys.ledger(chunk) },
      ProjectionExpression: countedAttributes,
      ConsistentRead: true,
    });
    return (await this.#client.send(command)).Item;
  }

  async *#items(bookingId: string, nowMs: number, attributes?: string): AsyncGenerator<Item> {
    let start: Item | undefined;
    do {
      const command = new QueryCommand({
        TableName: this.#tableName,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': keys.ledgerPartition(bookingId) },
        ConsistentRead: true,
        ...(attributes === undefined ? {} : { ProjectionExpression: attributes }),
        ...(start === undefined ? {} : { ExclusiveStartKey: start }),
      });
      const { Items = [], LastEvaluatedKey } = await this.#client.send(command);
      yield* Items.filter((item) => !isPastItsTime(item, nowMs));
      start = LastEvaluatedKey;
    } while (start !== undefined);
  }
}

// An item past its time may still be there, of a booking that had the same key long ago.
function isPastItsTime({ expiresAt }: Item, nowMs: number): boolean {
  return typeof expiresAt === 'number' && isExpired(expiresAt, nowMs);
}

function isDecided(item: Item, nowMs: number): boolean {
  return item.complete === true && !isPastItsTime(item, nowMs);
}

function countsIn(items: readonly Item[]): DecidedCounts {
  const each = items.map((item) => amounts(readLedgerItem(item).outcome));
  return {
    granted: each.reduce((sum, { granted }) => sum + granted.count, 0),
    rejected: each.reduce((sum, { rejected }) => sum + rejected.count, 0),
  };
}
