/**
 * Remembers which chunks are known to be in the ledger, the latest so many. Forgetting costs one question to the
 * ledger; nothing is decided by it.
 */
export class RecordedChunks {
  readonly #ids = new Set<string>();
  readonly #capacity: number;

  constructor(capacity = 10_000) {
    this.#capacity = capacity;
  }

  has(chunkId: string): boolean {
    return this.#ids.has(chunkId);
  }

  add(chunkId: string): void {
    this.#ids.delete(chunkId);
    this.#ids.add(chunkId);
    if (this.#ids.size <= this.#capacity) return;
    const [oldest] = this.#ids;
    if (oldest !== undefined) this.#ids.delete(oldest);
  }
}
