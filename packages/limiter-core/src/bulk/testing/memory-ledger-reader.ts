import type { ChunkRange, LedgerPart, LedgerReader } from '../ledger.ts';
import type { MemoryAccountStore } from '../memory-account-store.ts';

/** A ledger reader on accounts in memory: it holds the contract to two implementations. */
export class MemoryLedgerReader implements LedgerReader {
  readonly #store: MemoryAccountStore;

  constructor(store: MemoryAccountStore) {
    this.#store = store;
  }

  async read({ bookingId, first, last }: ChunkRange): Promise<LedgerPart> {
    const entries = this.#store
      .ledger()
      .filter((entry) => entry.bookingId === bookingId && entry.chunkIndex >= first && entry.chunkIndex <= last)
      .sort((one, other) => one.chunkIndex - other.chunkIndex);
    return { entries, unreadable: [] };
  }
}
