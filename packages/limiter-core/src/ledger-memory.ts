import type { Outcome } from './outcome.ts';

/**
 * A process's memory of outcomes that the ledger is known to hold, the latest so many. Forgetting costs one question to
 * the ledger; nothing is decided by it. An outcome is known by its chunk and its time: a key that is used again after 90
 * days makes other outcomes under the same chunk ids.
 */
export class LedgerMemory {
  readonly #settledAtMs = new Map<string, number>();
  readonly #capacity: number;

  constructor(capacity = 10_000) {
    this.#capacity = capacity;
  }

  has(chunkId: string, { settledAtMs }: Pick<Outcome, 'settledAtMs'>): boolean {
    return this.#settledAtMs.get(chunkId) === settledAtMs;
  }

  add(chunkId: string, { settledAtMs }: Pick<Outcome, 'settledAtMs'>): void {
    this.#settledAtMs.delete(chunkId);
    this.#settledAtMs.set(chunkId, settledAtMs);
    if (this.#settledAtMs.size <= this.#capacity) return;
    const [oldest] = this.#settledAtMs.keys();
    if (oldest !== undefined) this.#settledAtMs.delete(oldest);
  }
}
