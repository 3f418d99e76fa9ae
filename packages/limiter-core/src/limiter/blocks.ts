import type { Limits } from './store.ts';

type Key = Omit<Limits, 'policies'>;

/** The most by which this machine's clock may step back without anything being forgotten too early. */
export const longestStepBackMs = 1000;

/** The ends of blocks. Each new one looks at two others in turn, and forgets those that are over. */
export class Blocks {
  readonly #untilMs = new Map<string, number>();

  until(key: Key): number {
    return this.#untilMs.size === 0 ? 0 : (this.#untilMs.get(idOf(key)) ?? 0);
  }

  set(key: Key, untilMs: number): void {
    this.#forgetOld(key.nowMs);
    if (untilMs > key.nowMs) this.#untilMs.set(idOf(key), untilMs);
    else this.#untilMs.delete(idOf(key));
  }

  #forgetOld(nowMs: number): void {
    let looked = 0;
    for (const [id, untilMs] of this.#untilMs) {
      this.#untilMs.delete(id);
      if (untilMs + longestStepBackMs > nowMs) this.#untilMs.set(id, untilMs);
      if (++looked === 2) return;
    }
  }
}

/** Names of limiters hold no colon, so that no two (limiter, key) pairs meet. */
function idOf({ limiter, key }: Key): string {
  return `${limiter}:${key}`;
}
