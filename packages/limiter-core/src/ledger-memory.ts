import type { Outcome } from './outcome.ts';

/**
 * A process's memory of outcomes that the ledger is known to hold, the latest so many. Forgetting costs one question to
 * the ledger; nothing is decided by it. An outcome is known by its chunk and its time: a key that is used again after 90
 * days makes other outcomes under the same chunk ids.
 */
export class LedgerMemory {
  readonly #settledAt = new Map<string, number>();
  readonly #capacity: number;

  constructor(capacity = 10_000) {
    this.#capacity = capacity;
  }

  has(chunkId: string, { settledAt }: Pick<Outcome, 'settledAt'>): boolean {
    return this.#settledAt.get(chunkId) === settledAt;
  }

  add(chunkId: string, { settledAt }: Pick<Outcome, 'settledAt'>): void {
    this.#settledAt.delete(chunkId);
    this.#settledAt.set(chunkId, settledAt);
    if (this.#settledAt.size <= this.#capacity) return;
    const [oldest] = this.#settledAt.keys();
    if (oldest !== undefined) this.#settledAt.delete(oldest);
  }
}
