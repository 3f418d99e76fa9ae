import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { bookingKeyOf, dayIndexKeys, HeaderItem, listKeyOf } from '@usher/contracts';
import { CorruptItemError, type RetryEnvironment } from '@usher/limiter-core/bulk';
import { type BatchTarget, getItems, itemId, keys, tableDefinition } from '@usher/limiter-core/bulk/dynamodb';
import { type } from 'arktype';
import type { Counted } from './decided-counts.ts';
import { reach } from './errors.ts';
import type { HeaderStore, Lease, ListRange } from './header-store.ts';

const { byAccount, byDay } = tableDefinition;

/** Calls made for one batch while some of it comes back unprocessed. */
const maxAttempts = 5;

/** Keeps booking headers in the one table. */
export class DynamoDbHeaders implements HeaderStore {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;
  readonly #retry: RetryEnvironment;

  constructor(options: { client: DynamoDBDocumentClient; tableName: string; retry: RetryEnvironment }) {
    this.#client = options.client;
    this.#tableName = options.tableName;
    this.#retry = options.retry;
  }

  async read(bookingKey: string): Promise<HeaderItem | undefined> {
    const command = new GetCommand({
      TableName: this.#tableName,
      Key: { ...keys.header(bookingKey) },
      ConsistentRead: true,
    });
    const { Item } = await reach('The table', () => this.#client.send(command));
    return Item === undefined ? undefined : readable(bookingKey, Item);
  }

  async readAll(bookingKeys: readonly string[]): Promise<ReadonlyMap<string, HeaderItem | Error>> {
    const target: BatchTarget = { client: this.#client, tableName: this.#tableName, maxAttempts, retry: this.#retry };
    const items = await reach('The table', () => getItems(target, bookingKeys.map(keys.header)));
    const headers = new Map<string, HeaderItem | Error>();
    for (const bookingKey of bookingKeys) {
      const item = items.get(itemId(keys.header(bookingKey)));
      if (item === undefined) continue;
      try {
        headers.set(bookingKey, item instanceof Error ? item : readable(bookingKey, item));
      } catch (error) {
        headers.set(bookingKey, error instanceof Error ? error : new Error(String(error)));
      }
    }
    return headers;
  }

  async create(header: HeaderItem, nowMs: number): Promise<boolean> {
    const day = dayIndexKeys.header(header);
    const command = new PutCommand({
      TableName: this.#tableName,
      Item: {
        ...keys.header(bookingKeyOf(header.bookingId)),
        ...header,
        [byAccount.partitionKey]: header.accountId,
        [byAccount.sortKey]: listKeyOf(header),
        [byDay.partitionKey]: day.partition,
        [byDay.sortKey]: day.sort,
      },
      ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
      ExpressionAttributeValues: { ':now': Math.floor(nowMs / 1000) },
    });
    return this.#conditional(() => this.#client.send(command));
  }

  takeOver(seen: HeaderItem, { nonce, leaseUntilMs }: Lease): Promise<boolean> {
    return this.#update(seen, {
      UpdateExpression: 'SET nonce = :nonce, leaseUntilMs = :until',
      values: { ':nonce': nonce, ':until': leaseUntilMs },
    });
  }

  giveUp(own: HeaderItem): Promise<boolean> {
    return this.#update(own, {
      UpdateExpression: 'SET leaseUntilMs = :until',
      values: { ':until': 0 },
    });
  }

  markAccepted(own: HeaderItem): Promise<boolean> {
    return this.#update(own, {
      UpdateExpression: 'SET #state = :accepted REMOVE leaseUntilMs',
      values: { ':accepted': 'accepted' },
    });
  }

  keepCounts({ bookingId, acceptedAt }: HeaderItem, { chunks, granted, rejected }: Counted): Promise<boolean> {
    const command = new UpdateCommand({
      TableName: this.#tableName,
      Key: { ...keys.header(bookingKeyOf(bookingId)) },
      UpdateExpression: 'SET #counts = :counts, countedChunks = :chunks',
      ConditionExpression:
        'acceptedAt = :acceptedAt AND (attribute_not_exists(countedChunks) OR countedChunks < :chunks)',
      ExpressionAttributeNames: { '#counts': 'counts' },
      ExpressionAttributeValues: { ':counts': { granted, rejected }, ':chunks': chunks, ':acceptedAt': acceptedAt },
    });
    return this.#conditional(() => this.#client.send(command));
  }

  async list(accountId: string, { from, to }: ListRange, limit: number): Promise<readonly string[]> {
    const command = new QueryCommand({
      TableName: this.#tableName,
      IndexName: byAccount.indexName,
      KeyConditionExpression: '#account = :account AND #key BETWEEN :from AND :to',
      ExpressionAttributeNames: { '#account': byAccount.partitionKey, '#key': byAccount.sortKey },
      ExpressionAttributeValues: { ':account': accountId, ':from': from, ':to': to },
      ScanIndexForward: false,
      Limit: limit,
    });
    const { Items = [] } = await reach('The table', () => this.#client.send(command));
    return Items.map((item) => String(item[byAccount.sortKey]));
  }

  /**
   * Every change of a header is an attempt's own: it holds only while the instant, the nonce and the state are what it
   * knows. A key that was used again has a header of another instant.
   */
  #update(
    { bookingId, acceptedAt, nonce }: HeaderItem,
    change: { UpdateExpression: string; values: Record<string, string | number> },
  ): Promise<boolean> {
    const command = new UpdateCommand({
      TableName: this.#tableName,
      Key: { ...keys.header(bookingKeyOf(bookingId)) },
      UpdateExpression: change.UpdateExpression,
      ConditionExpression: 'acceptedAt = :acceptedAt AND nonce = :seen AND #state = :accepting',
      ExpressionAttributeNames: { '#state': 'state' },
      ExpressionAttributeValues: {
        ':acceptedAt': acceptedAt,
        ':seen': nonce,
        ':accepting': 'accepting',
        ...change.values,
      },
    });
    return this.#conditional(() => this.#client.send(command));
  }

  async #conditional(send: () => Promise<unknown>): Promise<boolean> {
    return reach('The table', async () => {
      try {
        await send();
        return true;
      } catch (error) {
        if (error instanceof ConditionalCheckFailedException) return false;
        throw error;
      }
    });
  }
}

/** @throws CorruptItemError */
function readable(bookingKey: string, item: Record<string, unknown>): HeaderItem {
  const header = HeaderItem(item);
  if (header instanceof type.errors) throw new CorruptItemError(`header of ${bookingKey}`, header.summary);
  return header;
}
