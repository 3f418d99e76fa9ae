import type { BookingLedger, DecidedCounts, LedgerEntry, LedgerReader } from '../ledger.ts';
import type { MemoryAccountStore } from '../memory-account-store.ts';
import { amounts } from '../outcome.ts';
import { isKept } from '../retention.ts';

/** A ledger reader on accounts in memory: it holds the contract to two implementations. */
export class MemoryLedgerReader implements LedgerReader {
  readonly #store: MemoryAccountStore;

  constructor(store: MemoryAccountStore) {
    this.#store = store;
  }

  async read(bookingId: string, nowMs: number): Promise<BookingLedger> {
    return { entries: this.#entries(bookingId, nowMs), unreadable: [] };
  }

  async countDecided(
    { bookingId, chunks }: { bookingId: string; chunks: number },
    nowMs: number,
  ): Promise<DecidedCounts | null> {
    const decided = this.#entries(bookingId, nowMs).filter(({ rows }) => rows !== undefined);
    if (decided.length !== chunks) return null;
    return {
      granted: decided.reduce((sum, { outcome }) => sum + amounts(outcome).granted.count, 0),
      rejected: decided.reduce((sum, { outcome }) => sum + amounts(outcome).rejected.count, 0),
    };
  }

  #entries(bookingId: string, nowMs: number): LedgerEntry[] {
    return this.#store
      .ledger()
      .filter((entry) => entry.bookingId === bookingId && isKept(entry.outcome, nowMs))
      .sort((one, other) => one.chunkIndex - other.chunkIndex);
  }
}
