import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandOutput,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import type { QuotaUsageRecorded } from './usage-event/quota-usage-recorded.d.ts';

/** The keys of the table. `expiresAt`, in seconds, is its time to live. */
export const tableKeys = { partitionKey: 'day', sortKey: 'item', timeToLive: 'expiresAt' } as const;

/** Items outlive the bus's archive, 30 days, so that a replay of all of it still finds what it repeats. */
const keptDays = 100;

/** An account's local day. */
export interface Day {
  readonly accountId: string;
  readonly date: string;
}

/** Granted and rejected cost of a day, of all events taken so far. */
export interface DayTotals {
  readonly granted: number;
  readonly rejected: number;
}

/** Usage and limit as of the latest decision. */
export interface Latest {
  readonly used: number;
  readonly limit: number;
  readonly decidedAt: string;
}

/**
 * Usage by account and day. Each event is an item of its own, under the event's id: the put of it is the count and the
 * proof that it was counted, so there is no moment between the two. Totals are sums over a day's items, whatever their
 * order.
 */
export class UsageTable {
  readonly #client: DynamoDBDocumentClient;
  readonly #tableName: string;

  constructor(client: DynamoDBDocumentClient, tableName: string) {
    this.#client = client;
    this.#tableName = tableName;
  }

  /** Counts an event once. */
  async count({ metadata, data }: QuotaUsageRecorded): Promise<'counted' | 'repeat'> {
    const put = new PutCommand({
      TableName: this.#tableName,
      Item: {
        day: dayKey({ accountId: data.accountId, date: data.window.date }),
        item: `event#${metadata.id}`,
        granted: data.granted.cost,
        rejected: data.rejected.cost,
        expiresAt: expirySeconds(data),
      },
      ConditionExpression: 'attribute_not_exists(#day)',
      ExpressionAttributeNames: { '#day': 'day' },
    });
    return (await isDone(this.#client.send(put))) ? 'counted' : 'repeat';
  }

  /**
   * Keeps usage and limit of the latest decision. An event that comes late changes nothing, for its decision is older;
   * of two in one millisecond the one that counts more is later, since usage only grows.
   */
  async keepLatest({ data }: QuotaUsageRecorded): Promise<void> {
    const update = new UpdateCommand({
      TableName: this.#tableName,
      Key: { day: dayKey({ accountId: data.accountId, date: data.window.date }), item: 'latest' },
      UpdateExpression: 'SET #at = :at, #used = :used, #limit = :limit, #expires = :expires',
      ConditionExpression: 'attribute_not_exists(#at) OR #at < :at OR (#at = :at AND #used < :used)',
      ExpressionAttributeNames: { '#at': 'decidedAt', '#used': 'used', '#limit': 'limit', '#expires': 'expiresAt' },
      ExpressionAttributeValues: {
        ':at': data.decidedAt,
        ':used': data.used,
        ':limit': data.limit,
        ':expires': expirySeconds(data),
      },
    });
    await isDone(this.#client.send(update));
  }

  /** Adds up a day. */
  async totals(day: Day): Promise<DayTotals> {
    const totals = { granted: 0, rejected: 0 };
    let ExclusiveStartKey: Record<string, unknown> | undefined;
    do {
      const page: QueryCommandOutput = await this.#client.send(
        new QueryCommand({
          TableName: this.#tableName,
          KeyConditionExpression: '#day = :day AND begins_with(#item, :event)',
          ExpressionAttributeNames: { '#day': 'day', '#item': 'item' },
          ExpressionAttributeValues: { ':day': dayKey(day), ':event': 'event#' },
          ConsistentRead: true,
          ExclusiveStartKey,
        }),
      );
      for (const { granted, rejected } of page.Items ?? []) {
        totals.granted += Number(granted);
        totals.rejected += Number(rejected);
      }
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
    return totals;
  }

  /** Reads what the latest decision of a day said; undefined where there is none. */
  async latest(day: Day): Promise<Latest | undefined> {
    const { Item } = await this.#client.send(
      new GetCommand({ TableName: this.#tableName, Key: { day: dayKey(day), item: 'latest' }, ConsistentRead: true }),
    );
    return Item && { used: Number(Item.used), limit: Number(Item.limit), decidedAt: String(Item.decidedAt) };
  }
}

/** The partition of a day. No account id holds a `#`. */
function dayKey({ accountId, date }: Day): string {
  return `${accountId}#${date}`;
}

function expirySeconds({ decidedAt }: QuotaUsageRecorded['data']): number {
  return Math.floor(Date.parse(decidedAt) / 1000) + keptDays * 86_400;
}

/** True where a write was done; false where its condition refused it. */
async function isDone(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
}
