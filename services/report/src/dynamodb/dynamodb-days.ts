import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { bookingKeyOf, dayIndexKeys, HeaderItem, Instant, rowCountsOf } from '@usher/contracts';
import {
  CorruptItemError,
  type LedgerEntry,
  type Policy,
  type RetryEnvironment,
  UnprocessedError,
} from '@usher/limiter-core/bulk';
import {
  DynamoDbAccountStore,
  DynamoDbLedgerReader,
  getItems,
  itemId,
  keys,
  tableDefinition,
} from '@usher/limiter-core/bulk/dynamodb';
import { errorFields, type Log } from '@usher/service';
import { type } from 'arktype';
import { Count } from '../model/figures.ts';
import type { AccountLook, DayBooking, Days } from '../store/days.ts';
import { readablePolicy } from '../store/readable-policy.ts';
import { itemsOf } from './query.ts';

const { byDay } = tableDefinition;
/** Calls made for one batch while some of it comes back unprocessed. */
const maxAttempts = 5;
/** The highest index of a chunk. */
const lastChunk = 99_999;

const IndexedHeader = type({
  [byDay.sortKey]: 'string',
  acceptedAt: Instant,
  window: { timezone: 'string', startsAt: Instant, resetsAt: Instant },
  total: Count,
  cut: 'string',
});

export interface DynamoDbDaysOptions {
  readonly client: DynamoDBDocumentClient;
  readonly tableName: string;
  readonly defaultPolicy: Policy;
  readonly retry: RetryEnvironment;
  readonly log: Log;
}

/** The days that the services keep in their table. */
export class DynamoDbDays implements Days {
  readonly #options: DynamoDbDaysOptions;
  readonly #accounts: DynamoDbAccountStore;
  readonly #ledger: DynamoDbLedgerReader;

  constructor(options: DynamoDbDaysOptions) {
    this.#options = options;
    this.#accounts = new DynamoDbAccountStore(options);
    this.#ledger = new DynamoDbLedgerReader(options);
  }

  async *bookings(date: string, shard: number): AsyncGenerator<DayBooking> {
    for await (const item of this.#indexed(dayIndexKeys.partition(date, shard))) {
      const booking = readBooking(date, item);
      if (!(booking instanceof Error)) yield booking;
      // One that cannot be read must not hide the others; its events are missing a header then, which the report shows.
      else
        this.#options.log.error('A booking cannot be read from the index of days', { date, ...errorFields(booking) });
    }
  }

  async *policies(): AsyncGenerator<{ accountId: string; overrides: unknown }> {
    for await (const item of this.#indexed(dayIndexKeys.policyPartition)) {
      yield { accountId: String(item[byDay.sortKey]), overrides: item.policy };
    }
  }

  async accepted(bookingIds: readonly string[]): Promise<ReadonlySet<string>> {
    const headers = await this.#headers(bookingIds);
    return new Set(bookingIds.filter((bookingId) => headers.get(bookingId)?.state === 'accepted'));
  }

  async windowOf(bookingId: string): Promise<{ accountId: string; date: string; timezone: string } | undefined> {
    const header = (await this.#headers([bookingId])).get(bookingId);
    return header && { accountId: header.accountId, date: header.window.date, timezone: header.window.timezone };
  }

  async accounts(accountIds: readonly string[]): Promise<ReadonlyMap<string, AccountLook>> {
    const looks = new Map<string, AccountLook>();
    for (const [id, stored] of await this.#accounts.readAccounts(accountIds)) {
      // One that was not read now may be read by the next closer, which is better than a report without it.
      if (stored instanceof UnprocessedError) throw stored;
      if (stored instanceof Error) continue;
      looks.set(id, { state: stored.state, policy: readablePolicy(id, this.#options.defaultPolicy, stored.overrides) });
    }
    return looks;
  }

  async ledger(bookingId: string): Promise<readonly LedgerEntry[] | undefined> {
    const { entries, unreadable } = await this.#ledger.read({ bookingId, first: 0, last: lastChunk });
    return unreadable.length > 0 ? undefined : entries;
  }

  /** Headers by booking id. One under the same key with another instant is another booking's. */
  async #headers(bookingIds: readonly string[]): Promise<Map<string, HeaderItem>> {
    const { client, tableName, retry } = this.#options;
    const headerKeys = bookingIds.map((bookingId) => keys.header(bookingKeyOf(bookingId)));
    const items = await getItems({ client, tableName, retry, maxAttempts }, headerKeys);
    const headers = new Map<string, HeaderItem>();
    for (const bookingId of bookingIds) {
      const item = items.get(itemId(keys.header(bookingKeyOf(bookingId))));
      if (item instanceof Error) throw item;
      const header = HeaderItem(item);
      if (!(header instanceof type.errors) && header.bookingId === bookingId) headers.set(bookingId, header);
    }
    return headers;
  }

  #indexed(partition: string): AsyncGenerator<Record<string, unknown>> {
    const { client, tableName } = this.#options;
    return itemsOf({ client, tableName, index: byDay, partition });
  }
}

function readBooking(date: string, item: Record<string, unknown>): DayBooking | CorruptItemError {
  const header = IndexedHeader(item);
  if (header instanceof type.errors) return new CorruptItemError(`index of ${date}`, header.summary);
  const [accountId = '', bookingId = ''] = header[byDay.sortKey].split('#');
  const { timezone, startsAt, resetsAt } = header.window;
  const chunks = rowCountsOf(header.cut).length;
  return {
    accountId,
    bookingId,
    acceptedAt: header.acceptedAt,
    timezone,
    startsAt,
    resetsAt,
    rows: header.total,
    chunks,
  };
}
