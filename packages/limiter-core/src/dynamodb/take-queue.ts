import type { Limits, Taken } from '../limiter/store.ts';

/** A take that waits for its answer. */
export interface Waiting {
  readonly limits: Limits;
  readonly cost: number;
  resolve(taken: Taken): void;
  reject(error: unknown): void;
}

/** The most takes of one write. */
const maxBatch = 100;

/**
 * Takes of one key in one process, in the order of their arrival. While a call runs, later ones wait, and then share the
 * next call. Each key with its policies has a queue of its own, for as long as somebody waits in it.
 */
export class TakeQueue {
  readonly #decide: (id: string, batch: readonly Waiting[]) => Promise<void>;
  readonly #queues = new Map<string, Waiting[]>();

  /** @param decide answers each of a batch; what it throws is the answer to those that it left */
  constructor(decide: (id: string, batch: readonly Waiting[]) => Promise<void>) {
    this.#decide = decide;
  }

  take(id: string, limits: Limits, cost: number): Promise<Taken> {
    return new Promise((resolve, reject) => {
      const waiting = { limits, cost, resolve, reject };
      const group = `${limits.policies.map(({ name, strategy }) => `${name} ${strategy.id}`).join(',')} ${id}`;
      const queue = this.#queues.get(group);
      if (queue !== undefined) {
        queue.push(waiting);
        return;
      }
      this.#queues.set(group, [waiting]);
      void this.#run(group, id);
    });
  }

  async #run(group: string, id: string): Promise<void> {
    const queue = this.#queues.get(group) ?? [];
    // Those that are asked for in the same turn share the first call.
    await undefined;
    while (queue.length > 0) {
      const batch = queue.splice(0, maxBatch);
      try {
        await this.#decide(id, batch);
      } catch (error) {
        for (const waiting of batch) waiting.reject(error);
      }
    }
    this.#queues.delete(group);
  }
}
