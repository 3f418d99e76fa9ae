/**
 * A process's memory of chunks whose outcome the ledger is known to hold, the latest so many. Forgetting costs one
 * question to the ledger; nothing is decided by it.
 */
export class LedgerMemory {
  readonly #chunkIds = new Set<string>();
  readonly #capacity: number;

  constructor(capacity = 10_000) {
    this.#capacity = capacity;
  }

  has(chunkId: string): boolean {
    return this.#chunkIds.has(chunkId);
  }

  add(chunkId: string): void {
    this.#chunkIds.delete(chunkId);
    this.#chunkIds.add(chunkId);
    if (this.#chunkIds.size <= this.#capacity) return;
    const [oldest] = this.#chunkIds;
    if (oldest !== undefined) this.#chunkIds.delete(oldest);
  }
}
