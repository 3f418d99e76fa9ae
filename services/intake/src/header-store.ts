import type { HeaderItem } from '@usher/contracts';
import type { Counted } from './decided-counts.ts';

/** A lease on a booking: the attempt that holds it, and its end. */
export interface Lease {
  readonly nonce: string;
  /** Epoch milliseconds; the attempt may send until then. */
  readonly leaseUntilMs: number;
}

/** A range of an account's bookings, by {@link import('@usher/contracts').listKeyOf}; both ends belong to it. */
export interface ListRange {
  readonly from: string;
  readonly to: string;
}

/** Keeps booking headers. Each method is one storage call and throws where that failed; `false` is a lost condition. */
export interface HeaderStore {
  /** Reads consistently, by the booking's key. */
  read(bookingKey: string): Promise<HeaderItem | undefined>;
  /** Reads many consistently, by the booking's key; an Error is one that cannot be read, and no entry is no header. */
  readAll(bookingKeys: readonly string[]): Promise<ReadonlyMap<string, HeaderItem | Error>>;
  /** Puts a header where there is none, or one past its time. */
  create(header: HeaderItem, nowMs: number): Promise<boolean>;
  /** Passes the lease on, if the header is still as it was seen. */
  takeOver(seen: HeaderItem, lease: Lease): Promise<boolean>;
  /** Ends the lease of an attempt, so that the next one need not wait. */
  giveUp(own: HeaderItem): Promise<boolean>;
  /** Marks a booking accepted, if the attempt still holds the lease. */
  markAccepted(own: HeaderItem): Promise<boolean>;
  /** Keeps the counts of a booking's first chunks, unless more are counted or the header is of another acceptance. */
  keepCounts(seen: HeaderItem, counted: Counted): Promise<boolean>;
  /** An account's bookings in a range, newest first: their list keys. The index may lag behind by a moment. */
  list(accountId: string, range: ListRange, limit: number): Promise<readonly string[]>;
}
