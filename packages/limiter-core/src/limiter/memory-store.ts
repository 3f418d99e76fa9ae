import { InvalidArgumentError } from '../errors.ts';
import { currentStates, reasonToRefuse } from './decision.ts';
import type { Limits, Policy, Seen, SyncLimitStore, Taken } from './store.ts';
import { isFromAhead } from './strategies/bucket.ts';
import type { Rule, State } from './strategies/strategy.ts';

export interface MemoryStoreOptions {
  /**
   * The most keys that are kept, a whole number ≥ 1. Beyond it the key that was used least recently is forgotten, and with
   * it what was taken of its limits.
   *
   * @default 1,000,000
   */
  readonly maxKeys?: number;
}

interface Entry {
  readonly id: string;
  states: readonly (State | undefined)[];
  /** The names of the policies that the states are of. */
  names: readonly string[];
  /** The instant from which on all the states are full limits. */
  fullAtMs: number;
  newer: Entry | undefined;
  older: Entry | undefined;
}

/** The most by which this machine's clock may step back without a limit that looked full being forgotten too early. */
const longestStepBackMs = 1000;

/**
 * Keeps limits in this process. Bounded: the keys are in a list by their last use, and each new key drops up to two at its
 * end that are full limits again. Nothing is ever scanned. Blocks are kept apart, so that a flood of keys ends none.
 *
 * @example
 * ```ts
 * const store = memory({ maxKeys: 10_000 });
 * const limiter = createLimiter({ strategy: fixedWindow({ limit: 1, windowMs: 60_000 }), store });
 * limiter.checkSync('ada').allowed; // true
 * ```
 */
export function memory({ maxKeys = 1_000_000 }: MemoryStoreOptions = {}): SyncLimitStore {
  if (!Number.isSafeInteger(maxKeys) || maxKeys < 1) {
    throw new InvalidArgumentError(`maxKeys must be a whole number ≥ 1 (was ${String(maxKeys)})`);
  }
  return new MemoryStore(maxKeys);
}

class MemoryStore implements SyncLimitStore {
  readonly #maxKeys: number;
  readonly #entries = new Map<string, Entry>();
  readonly #blockedUntilMs = new Map<string, number>();
  #newest: Entry | undefined;
  #oldest: Entry | undefined;

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys;
  }

  takeSync(limits: Limits, cost: number): Taken {
    const { policies, nowMs } = limits;
    const id = idOf(limits);
    const entry = this.#entries.get(id);
    const seen = this.#seen(id, entry, limits);
    if (reasonToRefuse(policies, seen, cost) !== undefined)
      return { ...this.#mended(id, entry, limits, seen), taken: false };
    const states = policies.map(({ strategy }, i) => takeFrom(strategy, seen.states[i], nowMs, cost));
    this.#write(id, entry, limits, states);
    return { states, blockedUntilMs: seen.blockedUntilMs, nowMs, taken: true };
  }

  async take(limits: Limits, cost: number): Promise<Taken> {
    return this.takeSync(limits, cost);
  }

  async peek(limits: Limits): Promise<Seen> {
    const id = idOf(limits);
    return this.#seen(id, this.#entries.get(id), limits);
  }

  async charge(limits: Limits, cost: number): Promise<Seen> {
    const id = idOf(limits);
    const entry = this.#entries.get(id);
    const seen = this.#seen(id, entry, limits);
    const states = limits.policies.map(({ strategy }, i) => takeFrom(strategy, seen.states[i], limits.nowMs, cost));
    this.#write(id, entry, limits, states);
    return { ...seen, states };
  }

  async giveBack(limits: Limits, cost: number, taken: readonly State[]): Promise<void> {
    const id = idOf(limits);
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    const { nowMs } = limits;
    const { states } = this.#seen(id, entry, limits);
    const given = limits.policies.map(({ strategy }, i) => {
      const before = taken[i];
      if (before === undefined) return states[i];
      const rule: Rule = strategy;
      const current = rule.current(states[i], nowMs);
      const after = rule.giveBack(current, nowMs, cost, before);
      return after === current ? states[i] : after;
    });
    this.#write(id, entry, limits, given);
  }

  async block(limits: Omit<Limits, 'policies'>, untilMs: number): Promise<void> {
    const id = idOf(limits);
    if (untilMs > limits.nowMs) this.#blockedUntilMs.set(id, untilMs);
    else this.#blockedUntilMs.delete(id);
  }

  async delete(limits: Omit<Limits, 'policies'>): Promise<void> {
    const id = idOf(limits);
    this.#blockedUntilMs.delete(id);
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#drop(entry);
  }

  /** A refusal's own write: a bucket that a wrong clock began is empty as of now, and fills from then on. */
  #mended(id: string, entry: Entry | undefined, limits: Limits, seen: Seen): Seen {
    const { policies, nowMs } = limits;
    if (!seen.states.some((state) => isFromAhead(state, nowMs))) return seen;
    const states = currentStates(policies, seen);
    this.#write(id, entry, limits, states);
    return { ...seen, states };
  }

  #seen(id: string, entry: Entry | undefined, { policies, nowMs }: Limits): Seen {
    return {
      states: entry === undefined ? policies.map(() => undefined) : statesFor(policies, entry),
      blockedUntilMs: this.#blockedUntil(id, nowMs),
      nowMs,
    };
  }

  #blockedUntil(id: string, nowMs: number): number {
    if (this.#blockedUntilMs.size === 0) return 0;
    const untilMs = this.#blockedUntilMs.get(id) ?? 0;
    if (untilMs !== 0 && untilMs + longestStepBackMs <= nowMs) this.#blockedUntilMs.delete(id);
    return untilMs;
  }

  #write(
    id: string,
    entry: Entry | undefined,
    { policies, nowMs }: Limits,
    states: readonly (State | undefined)[],
  ): void {
    let fullAtMs = 0;
    for (const [i, { strategy }] of policies.entries()) {
      const rule: Rule = strategy;
      const state = states[i];
      if (state !== undefined) fullAtMs = Math.max(fullAtMs, rule.fullAtMs(state, nowMs));
    }
    if (entry === undefined) {
      const names = policies.map(({ name }) => name);
      this.#insert({ id, states, names, fullAtMs, newer: undefined, older: undefined }, nowMs);
      return;
    }
    keep(entry, policies, states, fullAtMs);
    if (entry !== this.#newest) {
      this.#unlink(entry);
      this.#link(entry);
    }
  }

  #insert(entry: Entry, nowMs: number): void {
    for (
      let dropped = 0;
      dropped < 2 && this.#oldest !== undefined && this.#oldest.fullAtMs + longestStepBackMs <= nowMs;
      dropped++
    ) {
      this.#drop(this.#oldest);
    }
    if (this.#entries.size >= this.#maxKeys && this.#oldest !== undefined) this.#drop(this.#oldest);
    this.#entries.set(entry.id, entry);
    this.#link(entry);
  }

  #drop(entry: Entry): void {
    this.#entries.delete(entry.id);
    this.#unlink(entry);
  }

  #link(entry: Entry): void {
    entry.older = this.#newest;
    entry.newer = undefined;
    if (this.#newest !== undefined) this.#newest.newer = entry;
    this.#newest = entry;
    this.#oldest ??= entry;
  }

  #unlink(entry: Entry): void {
    const { newer, older } = entry;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
  }
}

/** Names hold no colon, so that no two (limiter, key) pairs meet. */
function idOf({ limiter, key }: Omit<Limits, 'policies'>): string {
  return `${limiter}:${key}`;
}

function takeFrom(rule: Rule, stored: State | undefined, nowMs: number, cost: number): State {
  return rule.take(rule.current(stored, nowMs), nowMs, cost);
}

/** Keeps the states in the entry, beside those of policies that are not asked for now: another plan may have them. */
function keep(
  entry: Entry,
  policies: readonly Policy[],
  states: readonly (State | undefined)[],
  fullAtMs: number,
): void {
  if (entry.names.length === policies.length && policies.every(({ name }, i) => name === entry.names[i])) {
    entry.states = states;
    entry.fullAtMs = fullAtMs;
    return;
  }
  const names = policies.map(({ name }) => name);
  const others = entry.names.filter((name) => !names.includes(name));
  entry.states = [...states, ...others.map((name) => entry.states[entry.names.indexOf(name)])];
  entry.names = [...names, ...others];
  entry.fullAtMs = Math.max(entry.fullAtMs, fullAtMs);
}

/** The stored states in the order of the policies that are asked for now. */
function statesFor(policies: readonly Policy[], { names, states }: Entry): readonly (State | undefined)[] {
  if (names.length === policies.length && policies.every(({ name }, i) => name === names[i])) return states;
  return policies.map(({ name }) => states[names.indexOf(name)]);
}
