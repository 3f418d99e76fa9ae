import { reasonToRefuse } from './decision.ts';
import { LruMap } from './lru-map.ts';
import type { LimitStore, Limits, Seen, Taken } from './store.ts';

export interface RefusalMemoryOptions {
  /** A refusal is remembered for this long: milliseconds. */
  readonly refusalCacheMs: number;
  /** The most keys that are remembered. Beyond it the one that was used least recently is forgotten. */
  readonly refusalCacheSize: number;
}

/** A key as a refusal left it. */
interface Remembered {
  readonly rules: string;
  readonly seen: Seen;
  /** The limiter's instant of the check. */
  readonly atMs: number;
}

type Key = Omit<Limits, 'policies'>;

/**
 * A store that remembers refusals. What a remembered state refuses by the limits' own rules is refused without a call: a
 * smaller cost that fits it is asked for, and what refills with time is counted. It may refuse what another process has
 * given back within {@link RefusalMemoryOptions.refusalCacheMs}; it never allows anything.
 */
export class RefusalMemory implements LimitStore {
  readonly #store: LimitStore;
  readonly #options: RefusalMemoryOptions;
  readonly #remembered: LruMap<Remembered>;
  /** The takes that run, by key. One that a change overtakes leaves its set, and is not remembered. */
  readonly #running = new Map<string, Set<symbol>>();

  constructor(store: LimitStore, options: RefusalMemoryOptions) {
    this.#store = store;
    this.#options = options;
    this.#remembered = new LruMap(options.refusalCacheSize);
  }

  async take(limits: Limits, cost: number): Promise<Taken> {
    const id = idOf(limits);
    const refused = this.#refusalOf(id, limits, cost);
    if (refused !== undefined) return refused;
    const run = Symbol();
    const running = this.#running.get(id) ?? new Set();
    this.#running.set(id, running.add(run));
    try {
      const taken = await this.#store.take(limits, cost);
      if (taken.taken) this.#remembered.delete(id);
      else if (running.has(run)) this.#remember(id, limits, taken);
      return taken;
    } finally {
      running.delete(run);
      if (running.size === 0 && this.#running.get(id) === running) this.#running.delete(id);
    }
  }

  peek(limits: Limits): Promise<Seen> {
    return this.#store.peek(limits);
  }

  charge(limits: Limits, cost: number): Promise<Seen> {
    return this.#change(limits, () => this.#store.charge(limits, cost));
  }

  giveBack(...args: Parameters<LimitStore['giveBack']>): Promise<void> {
    return this.#change(args[0], () => this.#store.giveBack(...args));
  }

  block(limits: Key, untilMs: number): Promise<void> {
    return this.#change(limits, () => this.#store.block(limits, untilMs));
  }

  delete(limits: Key): Promise<void> {
    return this.#change(limits, () => this.#store.delete(limits));
  }

  #refusalOf(id: string, { policies, nowMs }: Limits, cost: number): Taken | undefined {
    const remembered = this.#remembered.get(id);
    if (remembered === undefined) return undefined;
    const ageMs = nowMs - remembered.atMs;
    if (ageMs < 0 || ageMs >= this.#options.refusalCacheMs || remembered.rules !== rulesOf(policies)) return undefined;
    // A store may decide by a clock of its own: its instant moves on as the limiter's does.
    const seen = { ...remembered.seen, nowMs: remembered.seen.nowMs + ageMs };
    return reasonToRefuse(policies, seen, cost) === undefined ? undefined : { ...seen, taken: false };
  }

  #remember(id: string, { policies, nowMs }: Limits, { states, blockedUntilMs, nowMs: seenMs }: Taken): void {
    const seen = { states, blockedUntilMs, nowMs: seenMs };
    this.#remembered.set(id, { rules: rulesOf(policies), seen, atMs: nowMs });
  }

  /** Forgets the key before a change, so that the change is seen, and after it, for what was seen meanwhile. */
  async #change<T>(key: Key, change: () => Promise<T>): Promise<T> {
    this.#forget(key);
    try {
      return await change();
    } finally {
      this.#forget(key);
    }
  }

  #forget(key: Key): void {
    const id = idOf(key);
    this.#remembered.delete(id);
    this.#running.get(id)?.clear();
  }
}

function idOf({ limiter, key }: Key): string {
  return `${limiter}:${key}`;
}

function rulesOf(policies: Limits['policies']): string {
  return policies.map(({ name, strategy }) => `${name} ${strategy.id}`).join(',');
}
