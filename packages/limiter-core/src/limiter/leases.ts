import { InvalidArgumentError } from '../errors.ts';
import { currentStates, reasonToRefuse } from './decision.ts';
import { LruMap } from './lru-map.ts';
import type { LimitStore, Limits, Seen, Taken } from './store.ts';
import type { Rule, State } from './strategies/strategy.ts';
import { untaken } from './untaken.ts';

/**
 * A lease: cost that a process takes in advance, and serves checks of a key from without a call. Its price is precision.
 * What was leased in time may be used up to `maxAgeMs` later: over any span of time, up to processes × `size` more than
 * the limit are allowed. A window's lease ends with the window, so that no window ever allows more than its limit. What is
 * not used by then, or by the end of the process, stays taken: fewer are allowed, never more.
 */
export interface LeaseOptions {
  /** The most cost that a process holds of a key, a whole number ≥ 1. A check of more is asked for by itself. */
  readonly size: number;
  /** The longest that leased cost is served: milliseconds, a whole number ≥ 1. A block by another process waits for it. */
  readonly maxAgeMs: number;
}

/** Cost that was taken and not served yet. */
interface Lease {
  readonly rules: string;
  /** The key as the store left it, with all of the lease taken. */
  readonly seen: Seen;
  readonly fromMs: number;
  readonly untilMs: number;
  left: number;
}

interface Waiting {
  readonly limits: Limits;
  readonly cost: number;
  resolve(taken: Taken): void;
  reject(error: unknown): void;
}

type Key = Omit<Limits, 'policies'>;

/** The most keys that have a lease. The one that was used least recently loses what is left of it. */
const maxLeases = 10_000;

/** @throws InvalidArgumentError for a size or an age that is no whole number ≥ 1 */
export function assertLease({ size, maxAgeMs }: LeaseOptions): void {
  for (const [field, value] of Object.entries({ size, maxAgeMs })) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new InvalidArgumentError(`lease.${field} must be a whole number ≥ 1 (was ${String(value)})`);
    }
  }
}

/** A store that serves checks from leases of another one. Tokens end by the clock of the checks, without a timer. */
export class Leases implements LimitStore {
  readonly #store: LimitStore;
  readonly #options: LeaseOptions;
  readonly #leases = new LruMap<Lease>(maxLeases);
  readonly #queues = new Map<string, Waiting[]>();
  /** Counts the ends of leases by a block or a deletion: what was asked for before one is not kept after it. */
  #ends = 0;

  constructor(store: LimitStore, options: LeaseOptions) {
    assertLease(options);
    this.#store = store;
    this.#options = options;
  }

  async take(limits: Limits, cost: number): Promise<Taken> {
    const id = idOf(limits);
    if (cost > this.#options.size) return this.#store.take(limits, cost);
    const queue = this.#queues.get(id);
    if (queue === undefined) {
      const served = this.#serve(id, limits, cost);
      if (served !== undefined) return served;
    }
    return new Promise((resolve, reject) => {
      const waiting = { limits, cost, resolve, reject };
      if (queue !== undefined) {
        queue.push(waiting);
        return;
      }
      this.#queues.set(id, [waiting]);
      void this.#run(id);
    });
  }

  /** The key with what is left of this process's lease, which this process may still take. */
  async peek(limits: Limits): Promise<Seen> {
    return this.#withLease(limits, await this.#store.peek(limits));
  }

  async charge(limits: Limits, cost: number): Promise<Seen> {
    return this.#withLease(limits, await this.#store.charge(limits, cost));
  }

  giveBack(...args: Parameters<LimitStore['giveBack']>): Promise<void> {
    return this.#store.giveBack(...args);
  }

  block(limits: Key, untilMs: number): Promise<void> {
    return this.#end(limits, () => this.#store.block(limits, untilMs));
  }

  delete(limits: Key): Promise<void> {
    return this.#end(limits, () => this.#store.delete(limits));
  }

  /** Ends the key's lease before a change and after it: one that was taken meanwhile may be older than the change. */
  async #end(limits: Key, change: () => Promise<void>): Promise<void> {
    const id = idOf(limits);
    this.#ends++;
    this.#leases.delete(id);
    try {
      await change();
    } finally {
      this.#ends++;
      this.#leases.delete(id);
    }
  }

  /** The key's lease at an instant, of whatever plan. */
  #current(id: string, nowMs: number): Lease | undefined {
    const lease = this.#leases.get(id);
    return lease === undefined || nowMs < lease.fromMs || nowMs >= lease.untilMs ? undefined : lease;
  }

  /** The lease that serves these limits at this instant. */
  #leaseOf(id: string, { policies, nowMs }: Limits): Lease | undefined {
    const lease = this.#current(id, nowMs);
    return lease?.rules === rulesOf(policies) ? lease : undefined;
  }

  #serve(id: string, limits: Limits, cost: number): Taken | undefined {
    const lease = this.#leaseOf(id, limits);
    if (lease === undefined || lease.left < cost) return undefined;
    lease.left -= cost;
    const { seen, fromMs } = lease;
    const states = untaken(limits.policies, seen.states, lease.left);
    // A store may decide by a clock of its own: its instant moves on as the limiter's does.
    return { ...seen, states, nowMs: seen.nowMs + (limits.nowMs - fromMs), taken: true };
  }

  #withLease(limits: Limits, seen: Seen): Seen {
    const lease = this.#leaseOf(idOf(limits), limits);
    if (lease === undefined || lease.left === 0) return seen;
    return { ...seen, states: untaken(limits.policies, currentStates(limits.policies, seen), lease.left) };
  }

  /** One lease of a key is taken at a time, for all that wait by then: so a process never holds more than its size. */
  async #run(id: string): Promise<void> {
    const queue = this.#queues.get(id) ?? [];
    // Those that are asked for in the same turn share the first call.
    await undefined;
    for (let first = queue[0]; first !== undefined; first = queue[0]) {
      queue.shift();
      try {
        const served = this.#serve(id, first.limits, first.cost);
        first.resolve(served ?? (await this.#lease(id, first, queue)));
      } catch (error) {
        first.reject(error);
      }
    }
    this.#queues.delete(id);
  }

  /** Takes what the first one asks for, what those behind it do, and a lease. Near the limit it takes what there is. */
  async #lease(id: string, first: Waiting, behind: readonly Waiting[]): Promise<Taken> {
    const { limits, cost } = first;
    const { policies } = limits;
    const held = this.#leaseOf(id, limits);
    // It would end another plan's lease, whose cost stays taken: plans that take turns would use up the limit.
    if (held === undefined && (this.#current(id, limits.nowMs)?.left ?? 0) > 0) return this.#store.take(limits, cost);
    const ends = this.#ends;
    const rules = rulesOf(policies);
    const others = behind.filter((waiting) => rulesOf(waiting.limits.policies) === rules);
    const most = Math.min(...policies.map(({ strategy }) => strategy.limit));
    const asked = others.reduce((sum, waiting) => sum + waiting.cost, cost) + this.#options.size - 1;
    const wanted = Math.max(cost, Math.min(most, asked - (held?.left ?? 0)));
    const taken = await this.#store.take(limits, wanted);
    if (taken.taken) return this.#keep(id, first, taken, { amount: wanted, held, ends });
    if (wanted === cost || reasonToRefuse(policies, taken, cost) !== undefined) return taken;
    const room = Math.max(cost, Math.min(wanted, leastRemaining(limits, taken)));
    const second = await this.#store.take(limits, room);
    if (second.taken) return this.#keep(id, first, second, { amount: room, held, ends });
    return room === cost || reasonToRefuse(policies, second, cost) !== undefined
      ? second
      : this.#store.take(limits, cost);
  }

  #keep(
    id: string,
    { limits, cost }: Waiting,
    taken: Taken,
    { amount, held, ends }: { readonly amount: number; readonly held: Lease | undefined; readonly ends: number },
  ): Taken {
    const { policies, nowMs } = limits;
    const { states, blockedUntilMs, nowMs: seenMs } = taken;
    const kept = held !== undefined && this.#leases.get(id) === held ? held : undefined;
    const left = amount - cost + (kept?.left ?? 0);
    const untilMs = Math.min(
      kept?.untilMs ?? Number.POSITIVE_INFINITY,
      nowMs + this.#options.maxAgeMs,
      ...states.map((state) => endMsOf(state) - (seenMs - nowMs)),
    );
    const seen = { states, blockedUntilMs, nowMs: seenMs };
    if (ends === this.#ends) this.#leases.set(id, { rules: rulesOf(policies), seen, fromMs: nowMs, untilMs, left });
    return { ...seen, states: untaken(policies, states, left), taken: true };
  }
}

/** The end of the window that a cost was taken from: leased cost is of no use in another one. */
function endMsOf(state: State | undefined): number {
  if (state?.kind === 'window') return state.endMs;
  return state?.kind === 'sliding' ? state.startMs + state.windowMs : Number.POSITIVE_INFINITY;
}

function leastRemaining({ policies }: Limits, seen: Seen): number {
  return Math.min(
    ...policies.map(({ strategy }, i) => {
      const rule: Rule = strategy;
      return rule.remaining(rule.current(seen.states[i], seen.nowMs), seen.nowMs);
    }),
  );
}

function idOf({ limiter, key }: Key): string {
  return `${limiter}:${key}`;
}

function rulesOf(policies: Limits['policies']): string {
  return policies.map(({ name, strategy }) => `${name} ${strategy.id}`).join(',');
}
