import type { AccountState, LedgerEntry, Policy } from '@usher/limiter-core/bulk';

/** A booking as the index of days tells it: what never changes of its header. */
export interface DayBooking {
  readonly accountId: string;
  readonly bookingId: string;
  readonly acceptedAt: string;
  readonly timezone: string;
  readonly startsAt: string;
  readonly resetsAt: string;
  readonly rows: number;
  readonly chunks: number;
}

/** A booking as its header tells it. */
export interface BookingHeader extends DayBooking {
  /** The date of its window. */
  readonly date: string;
  readonly state: 'accepting' | 'accepted';
}

/** An account with the policy that holds for it now; undefined where it cannot be read. */
export interface AccountLook {
  readonly state: AccountState;
  readonly policy: Policy | undefined;
}

/** A reader of what the services keep: bookings by day, accounts, policies and the ledger. */
export interface Days {
  /** The bookings of a date, of the accounts of one shard, account by account. The index may lag behind by a moment. */
  bookings(date: string, shard: number): AsyncIterable<DayBooking>;
  /** The accounts that have a policy of their own, with what it overrides. */
  policies(): AsyncIterable<{ readonly accountId: string; readonly overrides: unknown }>;
  /** The headers of those of these bookings that have one; consistently. */
  headers(bookingIds: readonly string[]): Promise<ReadonlyMap<string, BookingHeader>>;
  /** Accounts by id; one that can never be read has no entry. Consistently; rejects where one was not read. */
  accounts(accountIds: readonly string[]): Promise<ReadonlyMap<string, AccountLook>>;
  /** The decided chunks of a booking, consistently; undefined where one cannot be read. */
  ledger(bookingId: string): Promise<readonly LedgerEntry[] | undefined>;
}
