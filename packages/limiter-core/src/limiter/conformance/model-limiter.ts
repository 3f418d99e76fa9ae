import type { Clock } from '../../clock.ts';
import type { Decision, PolicyStatus, RefusalReason } from '../decision.ts';
import { policiesOf, type Strategies } from '../policies.ts';
import type { Policy } from '../store.ts';
import type { Strategy } from '../strategies/strategy.ts';
import { BucketModel } from './bucket-model.ts';
import type { Entry, LimitModel } from './limit-model.ts';
import { SlidingModel, WindowModel } from './window-models.ts';

/** A key of the model: its limits by name, and the end of its block. */
interface ModelKey {
  readonly limits: Map<string, LimitModel>;
  blockedUntilMs: number;
}

interface Take {
  readonly key: string;
  readonly policies: readonly Policy[];
  readonly entries: readonly Entry[];
}

/** A limiter without a store: what every store is compared with. It decides by {@link LimitModel}. */
export class ModelLimiter {
  readonly #clock: Clock;
  readonly #keys = new Map<string, ModelKey>();
  readonly #takes = new Map<Decision, Take>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  check(key: string, cost: number, strategies: Strategies): Decision {
    const decision = this.peek(key, cost, strategies);
    if (decision.reason === 'never' || cost === 0) return decision;
    if (decision.allowed) return this.#take(key, cost, policiesOf(strategies), cost);
    const nowMs = this.#clock();
    const { limits } = this.#key(key);
    for (const limit of limits.values()) limit.refuse(nowMs);
    return decision;
  }

  peek(key: string, cost: number, strategies: Strategies): Decision {
    const policies = policiesOf(strategies);
    const most = Math.min(...policies.map(({ strategy }) => strategy.limit));
    if (cost > most) return never(key, cost, most, this.#clock());
    return this.#look(key, cost, policies, cost);
  }

  charge(key: string, cost: number, strategies: Strategies): Decision {
    const policies = policiesOf(strategies);
    return cost === 0 ? this.#look(key, 0, policies, 0) : this.#take(key, cost, policies, 0);
  }

  refund(decision: Decision): void {
    const take = this.#takes.get(decision);
    if (take === undefined) return;
    this.#takes.delete(decision);
    const nowMs = this.#clock();
    const { limits } = this.#key(take.key);
    for (const [i, { name, strategy }] of take.policies.entries()) {
      const [stored, entry] = [limits.get(name), take.entries[i]];
      if (stored?.kind !== strategy.kind || entry === undefined) continue;
      const limit = stored.under(strategy, nowMs);
      if (limit.giveBack(nowMs, entry)) limits.set(name, limit);
    }
  }

  block(key: string, forMs: number): void {
    this.#key(key).blockedUntilMs = forMs > 0 ? this.#clock() + forMs : 0;
  }

  delete(key: string): void {
    this.#keys.delete(key);
  }

  #key(key: string): ModelKey {
    const known = this.#keys.get(key) ?? { limits: new Map(), blockedUntilMs: 0 };
    this.#keys.set(key, known);
    return known;
  }

  #take(key: string, cost: number, policies: readonly Policy[], asked: number): Decision {
    const nowMs = this.#clock();
    const entries = policies.map((policy) => {
      const limit = this.#limit(key, policy);
      this.#key(key).limits.set(policy.name, limit);
      return limit.take(nowMs, cost);
    });
    // What was asked for is taken: nothing more is asked for, and it fits if nothing is owed.
    const decision = this.#look(key, 0, policies, cost, asked > 0);
    this.#takes.set(decision, { key, policies, entries });
    return decision;
  }

  #limit(key: string, { name, strategy }: Policy): LimitModel {
    const stored = this.#key(key).limits.get(name);
    return stored?.kind === strategy.kind ? stored.under(strategy, this.#clock()) : limitModel(strategy);
  }

  #look(key: string, asked: number, policies: readonly Policy[], cost: number, taken = false): Decision {
    const nowMs = this.#clock();
    const { blockedUntilMs } = this.#key(key);
    const limits = policies.map((policy) => this.#limit(key, policy));
    let reason: RefusalReason | undefined;
    if (!taken && blockedUntilMs > nowMs) reason = 'blocked';
    else if (!taken && limits.some((limit) => limit.remaining(nowMs) < asked)) reason = 'limited';
    const statuses = limits.map((limit, i): PolicyStatus => {
      const { name, strategy } = policies[i] ?? fail();
      return {
        name,
        limit: strategy.limit,
        remaining: limit.remaining(nowMs),
        windowMs: strategy.windowMs,
        retryAfterMs: reason === undefined ? 0 : limit.fitsAtMs(nowMs, asked) - nowMs,
        resetsAt: limit.fullAtMs(nowMs),
      };
    });
    // The longest wait first, then the least that is left; of equals the first.
    const [nearest = fail()] = statuses.toSorted(
      (a, b) => b.retryAfterMs - a.retryAfterMs || a.remaining - b.remaining,
    );
    const blockMs = reason === 'blocked' ? blockedUntilMs - nowMs : 0;
    return {
      allowed: reason === undefined,
      key,
      cost,
      limit: nearest.limit,
      remaining: nearest.remaining,
      retryAfterMs: Math.max(nearest.retryAfterMs, blockMs),
      resetsAt: reason === 'blocked' ? blockedUntilMs : nearest.resetsAt,
      policies: statuses,
      degraded: false,
      ...(reason !== undefined && { reason }),
    };
  }
}

function limitModel(strategy: Strategy): LimitModel {
  if (strategy.kind === 'bucket') return new BucketModel(strategy);
  return strategy.kind === 'window' ? new WindowModel(strategy) : new SlidingModel(strategy);
}

function never(key: string, cost: number, limit: number, nowMs: number): Decision {
  return {
    allowed: false,
    reason: 'never',
    key,
    cost,
    limit,
    remaining: 0,
    retryAfterMs: 0,
    resetsAt: nowMs,
    policies: [],
    degraded: false,
  };
}

function fail(): never {
  throw new Error('A limiter has at least one policy');
}
