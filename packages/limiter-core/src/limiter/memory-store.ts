import { InvalidArgumentError } from '../errors.ts';
import { Blocks, longestStepBackMs } from './blocks.ts';
import { currentStates } from './decision.ts';
import { copiesOf, lend, matterUntilMs, type OwnedStates, own, write } from './owned-states.ts';
import type { LimitStore, Limits, Policy, Seen, SyncLimitStore, Taken } from './store.ts';
import { isFromAhead } from './strategies/bucket.ts';
import type { Rule, State } from './strategies/strategy.ts';

export interface MemoryStoreOptions {
  /**
   * The most keys that are kept, a whole number ≥ 1. Beyond it a key that has not been used for long is forgotten, and with
   * it what was taken of its limits.
   *
   * @default 1,000,000
   */
  readonly maxKeys?: number;
}

/** A key's states, in the list of all keys. */
interface Entry extends OwnedStates {
  readonly key: string;
  /** The keys of its limiter. */
  readonly keys: Map<string, Entry>;
  /** Used since it was put at the list's new end. */
  isUsed: boolean;
  newer: Entry | undefined;
  older: Entry | undefined;
}

type Key = Omit<Limits, 'policies'>;

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Keeps limits in this process. Bounded: each new key looks at the two that are the oldest in a list. Those that are full
 * limits again are dropped, those that were used meanwhile are as new. Nothing is ever scanned. Blocks are kept apart, so
 * that a flood of keys ends none.
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

/** Tells a store whose `take` is {@link memory}'s own, which is its `takeSync` in a promise. */
export function takesAtOnce(store: LimitStore): store is SyncLimitStore {
  return store.take === MemoryStore.prototype.take;
}

class MemoryStore implements SyncLimitStore {
  readonly #maxKeys: number;
  readonly #limiters = new Map<string, Map<string, Entry>>();
  readonly #blocks = new Blocks();
  /** The keys of the limiter that asked last: as a rule there is one. */
  #lastLimiter: string | undefined;
  #lastKeys: Map<string, Entry> | undefined;
  #size = 0;
  #newest: Entry | undefined;
  #oldest: Entry | undefined;

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys;
  }

  takeSync(limits: Limits, cost: number): Taken {
    const entry = this.#use(limits);
    // One object, changed on its way: what a check allocates is most of what it costs.
    const answer = this.#look(entry, limits);
    const taken = takeIfFits(limits.policies, answer, cost);
    answer.taken = taken !== undefined;
    if (taken === undefined) {
      answer.states = copiesOf(this.#mended(entry, limits, answer.states));
    } else if (cost === 0) {
      answer.states = copiesOf(answer.states);
    } else {
      answer.states = taken;
      this.#write(entry, limits, taken);
    }
    return answer;
  }

  async take(limits: Limits, cost: number): Promise<Taken> {
    return this.takeSync(limits, cost);
  }

  async peek(limits: Limits): Promise<Seen> {
    const seen = this.#look(this.#find(limits), limits);
    return { ...seen, states: copiesOf(seen.states) };
  }

  async charge(limits: Limits, cost: number): Promise<Seen> {
    const entry = this.#use(limits);
    const seen = this.#look(entry, limits);
    const { policies, nowMs } = limits;
    const states = policies.map(({ strategy }, i) => takeFrom(strategy, seen.states[i], nowMs, cost));
    this.#write(entry, limits, states);
    return { ...seen, states };
  }

  async giveBack(limits: Limits, cost: number, taken: readonly State[]): Promise<void> {
    const entry = this.#use(limits);
    if (entry === undefined) return;
    const { nowMs } = limits;
    const { states } = this.#look(entry, limits);
    const given = limits.policies.map(({ strategy }, i) => {
      const [stored, before] = [states[i], taken[i]];
      if (before === undefined) return stored;
      const rule: Rule = strategy;
      const current = rule.current(stored, nowMs);
      const after = rule.giveBack(current, nowMs, cost, before);
      return after === current ? stored : after;
    });
    this.#write(entry, limits, given);
  }

  async block(key: Key, untilMs: number): Promise<void> {
    this.#blocks.set(key, untilMs);
  }

  async delete(key: Key): Promise<void> {
    this.#blocks.set(key, 0);
    const entry = this.#find(key);
    if (entry !== undefined) this.#drop(entry);
  }

  /** The entry of a key that something is to be done with. A mark is all: to move it now would touch its neighbours. */
  #use(key: Key): Entry | undefined {
    const entry = this.#find(key);
    if (entry !== undefined) entry.isUsed = true;
    return entry;
  }

  #find({ limiter, key }: Key): Entry | undefined {
    if (limiter !== this.#lastLimiter) {
      this.#lastLimiter = limiter;
      this.#lastKeys = this.#limiters.get(limiter);
    }
    return this.#lastKeys?.get(key);
  }

  #look(entry: Entry | undefined, limits: Limits): Writable<Taken> {
    return {
      states: entry === undefined ? none : lend(entry, limits.policies),
      blockedUntilMs: this.#blocks.until(limits),
      nowMs: limits.nowMs,
      taken: false,
    };
  }

  /** A refusal's own write: a bucket that a wrong clock began is empty as of now, and fills from then on. */
  #mended(entry: Entry | undefined, limits: Limits, states: Seen['states']): Seen['states'] {
    const { policies, nowMs } = limits;
    if (entry === undefined || !states.some((state) => isFromAhead(state, nowMs))) return states;
    const mended = currentStates(policies, { states, nowMs, blockedUntilMs: 0 });
    this.#write(entry, limits, mended);
    return mended;
  }

  #write(entry: Entry | undefined, limits: Limits, states: Seen['states']): void {
    if (entry !== undefined) write(entry, limits.policies, states);
    else this.#insert(limits, states);
  }

  #insert({ limiter, key, policies, nowMs }: Limits, states: Seen['states']): void {
    this.#makeRoom(nowMs);
    const keys = this.#limiters.get(limiter) ?? new Map<string, Entry>();
    if (keys.size === 0) this.#limiters.set(limiter, keys);
    this.#lastKeys = keys;
    const { policies: shared, states: owned } = own(policies, states, this.#newest);
    const entry: Entry = {
      key,
      keys,
      policies: shared,
      states: owned,
      isUsed: false,
      newer: undefined,
      older: undefined,
    };
    keys.set(key, entry);
    this.#size++;
    this.#link(entry);
  }

  #makeRoom(nowMs: number): void {
    for (let looked = 0; looked < 2; looked++) {
      const oldest = this.#oldest;
      if (oldest === undefined) return;
      if (matterUntilMs(oldest) + longestStepBackMs <= nowMs) this.#drop(oldest);
      else if (oldest.isUsed) this.#renew(oldest);
      else break;
    }
    if (this.#size >= this.#maxKeys && this.#oldest !== undefined) this.#drop(this.#oldest);
  }

  #renew(entry: Entry): void {
    entry.isUsed = false;
    this.#unlink(entry);
    this.#link(entry);
  }

  #drop(entry: Entry): void {
    entry.keys.delete(entry.key);
    this.#size--;
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

const none: Seen['states'] = [];

/** The states after a cost is taken from all of them, or undefined where it does not fit. */
function takeIfFits(policies: readonly Policy[], { states, nowMs, blockedUntilMs }: Seen, cost: number) {
  if (blockedUntilMs > nowMs) return undefined;
  const taken = new Array<State>(policies.length);
  let i = 0;
  for (const { strategy } of policies) {
    const rule: Rule = strategy;
    const current = rule.current(states[i], nowMs);
    if (cost > rule.remaining(current, nowMs)) return undefined;
    taken[i] = rule.take(current, nowMs, cost);
    i++;
  }
  return taken;
}

function takeFrom(rule: Rule, stored: State | undefined, nowMs: number, cost: number): State {
  return rule.take(rule.current(stored, nowMs), nowMs, cost);
}
