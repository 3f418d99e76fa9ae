import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import {
  AccountId,
  BookingId,
  bookingKeyOf,
  cutPattern,
  dayIndexKeys,
  HeaderItem,
  Instant,
  rowCountsOf,
  Timezone,
} from '@usher/contracts';
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
import type { AccountLook, BookingHeader, DayBooking, Days } from '../store/days.ts';
import { readablePolicy } from '../store/readable-policy.ts';
import { itemsOf } from './query.ts';

const { byDay } = tableDefinition;
/** Calls made for one batch while some of it comes back unprocessed. */
const maxAttempts = 5;
/** The highest index of a chunk. */
const lastChunk = 99_999;

const IndexedHeader = type({
  [byDay.sortKey]: type('string')
    .pipe((sort) => sort.split('#'))
    .to([AccountId, BookingId]),
  acceptedAt: Instant,
  // A zone that is unknown here has no hours, and would hold up every account of its report.
  window: { timezone: Timezone, startsAt: Instant, resetsAt: Instant },
  total: Count,
  cut: cutPattern,
});
const IndexedPolicy = type({ [byDay.sortKey]: AccountId });

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
      const read = IndexedPolicy(item);
      if (!(read instanceof type.errors)) yield { accountId: read[byDay.sortKey], overrides: item.policy };
      // Its keys are written by whoever writes the policy; one of nobody must not have a row in every report.
      else this.#options.log.error('A policy in the index of days names no account', { key: `${item.pk} ${item.sk}` });
    }
  }

  async headers(bookingIds: readonly string[]): Promise<ReadonlyMap<string, BookingHeader>> {
    const { client, tableName, retry } = this.#options;
    const headerKeys = bookingIds.map((bookingId) => keys.header(bookingKeyOf(bookingId)));
    const items = await getItems({ client, tableName, retry, maxAttempts }, headerKeys);
    const headers = new Map<string, BookingHeader>();
    for (const bookingId of bookingIds) {
      const item = items.get(itemId(keys.header(bookingKeyOf(bookingId))));
      if (item instanceof Error) throw item;
      const header = HeaderItem(item);
      // One under the same key with another instant is another booking's.
      if (header instanceof type.errors || header.bookingId !== bookingId) continue;
      const { accountId, acceptedAt, window, total, cut, state } = header;
      const chunks = rowCountsOf(cut).length;
      headers.set(bookingId, { accountId, bookingId, acceptedAt, ...window, rows: total, chunks, state });
    }
    return headers;
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

  #indexed(partition: string): AsyncGenerator<Record<string, unknown>> {
    const { client, tableName } = this.#options;
    return itemsOf({ client, tableName, index: byDay, partition });
  }
}

function readBooking(date: string, item: Record<string, unknown>): DayBooking | CorruptItemError {
  const header = IndexedHeader(item);
  if (header instanceof type.errors) return new CorruptItemError(`index of ${date}`, header.summary);
  const [accountId, bookingId] = header[byDay.sortKey];
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
