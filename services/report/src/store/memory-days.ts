import { dayShardOf } from '@usher/contracts';
import type { LedgerEntry, MemoryAccountStore, Policy } from '@usher/limiter-core/bulk';
import type { AccountLook, BookingHeader, DayBooking, Days } from './days.ts';
import { readablePolicy } from './readable-policy.ts';

/** Bookings, policies and accounts in memory, for tests and simulations. */
export class MemoryDays implements Days {
  readonly #accounts: MemoryAccountStore;
  readonly #defaultPolicy: Policy;
  readonly #bookings = new Map<string, BookingHeader>();
  readonly #policies = new Map<string, unknown>();

  constructor(options: { readonly accounts: MemoryAccountStore; readonly defaultPolicy: Policy }) {
    this.#accounts = options.accounts;
    this.#defaultPolicy = options.defaultPolicy;
  }

  /** Puts a booking, in place of one with its id. */
  setBooking(booking: BookingHeader): void {
    this.#bookings.set(booking.bookingId, booking);
  }

  setPolicy(accountId: string, overrides: unknown): void {
    this.#policies.set(accountId, overrides);
    this.#accounts.setOverrides(accountId, overrides);
  }

  async *bookings(date: string, shard: number): AsyncGenerator<DayBooking> {
    for (const booking of this.#bookings.values()) {
      if (booking.date === date && dayShardOf(booking.accountId) === shard) yield booking;
    }
  }

  async *policies(): AsyncGenerator<{ accountId: string; overrides: unknown }> {
    for (const [accountId, overrides] of this.#policies) yield { accountId, overrides };
  }

  async headers(bookingIds: readonly string[]): Promise<ReadonlyMap<string, BookingHeader>> {
    return new Map(
      bookingIds.flatMap((bookingId) => {
        const booking = this.#bookings.get(bookingId);
        return booking === undefined ? [] : [[bookingId, booking]];
      }),
    );
  }

  async accounts(accountIds: readonly string[]): Promise<ReadonlyMap<string, AccountLook>> {
    const stored = await this.#accounts.readAccounts(accountIds);
    return new Map(
      [...stored].map(([id, { state, overrides }]) => [
        id,
        { state, policy: readablePolicy(id, this.#defaultPolicy, overrides) },
      ]),
    );
  }

  async ledger(bookingId: string): Promise<readonly LedgerEntry[] | undefined> {
    return this.#accounts.ledger().filter((entry) => entry.bookingId === bookingId);
  }
}
