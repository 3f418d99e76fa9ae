import { type Clock, systemClock } from '../clock.ts';
import { InvalidArgumentError } from '../errors.ts';
import { type Asked, afterLook, isNever, never, unanswered } from './asked.ts';
import { currentStates, type Decision, decisionOf, lastInstantMs, reasonToRefuse } from './decision.ts';
import { type Delay, systemDelay } from './delay.ts';
import { OverloadedError, StoreUnavailableError } from './errors.ts';
import { type HeaderFormat, rateLimitHeaders } from './headers.ts';
import { assertCost, assertKey } from './key.ts';
import type { SyncLimiter } from './limiter.ts';
import type { CheckArguments, CheckRequest, LimiterOptions, WaitArguments } from './limiter-options.ts';
import { memory } from './memory-store.ts';
import { assertLimiterName, policiesOf, type Strategies } from './policies.ts';
import type { LimitStore, Limits, Policy, Seen, SyncLimitStore, Taken } from './store.ts';
import { assertPositive } from './strategies/assert.ts';
import type { State } from './strategies/strategy.ts';

/** The take behind a decision, for its refund. */
interface Take {
  readonly store: LimitStore;
  readonly limits: Limits;
  readonly states: readonly State[];
}

/** The one {@link Limiter}: it reads arguments, asks the store, and makes decisions of its answers. */
export class StoreLimiter<Plan> implements SyncLimiter<Plan> {
  readonly #name: string;
  readonly #policiesFor: (plan: unknown) => readonly Policy[];
  readonly #store: LimitStore;
  readonly #options: LimiterOptions<Plan>;
  readonly #deadlineMs: number;
  readonly #clock: Clock;
  readonly #delay: Delay;
  readonly #takes = new WeakMap<Decision, Take | undefined>();

  constructor(options: LimiterOptions<Plan>) {
    const { name = 'default', strategy, store = memory(), deadlineMs = 250 } = options;
    assertLimiterName(name);
    assertPositive('deadlineMs', deadlineMs, Number.MAX_SAFE_INTEGER);
    this.#name = name;
    if (typeof strategy === 'function') {
      this.#policiesFor = (plan) => policiesOf((strategy as (plan: unknown) => Strategies)(plan));
    } else {
      const policies = policiesOf(strategy);
      this.#policiesFor = () => policies;
    }
    this.#store = store;
    this.#options = options;
    this.#deadlineMs = deadlineMs;
    this.#clock = options.clock ?? systemClock;
    this.#delay = options.delay ?? systemDelay;
  }

  checkSync(key: string, ...args: CheckArguments<Plan>): Decision {
    const store = this.#store;
    if (!isSync(store)) {
      throw new InvalidArgumentError('checkSync needs a store that answers at once, such as memory()');
    }
    const asked = this.#asked(key, args[0]);
    if (isNever(asked)) return this.#tell(never(asked));
    // A cost of 0 takes nothing: the same call looks.
    return this.#tell(this.#afterTake(asked, store, store.takeSync(asked.limits, asked.cost)));
  }

  check(key: string, ...args: CheckArguments<Plan>): Promise<Decision> {
    return this.#check(key, args[0]);
  }

  async checkMany(requests: readonly CheckRequest<Plan>[]): Promise<Decision[]> {
    this.#assertAll(requests);
    return Promise.all(requests.map((request) => this.#check(request.key, request)));
  }

  async checkAll(requests: readonly CheckRequest<Plan>[]): Promise<Decision> {
    this.#assertAll(requests);
    const allowed: Decision[] = [];
    for (const request of requests) {
      const decision = await this.#checkOrGiveBack(request, allowed);
      if (!decision.allowed) {
        await this.#giveBackAll(allowed);
        return decision;
      }
      allowed.push(decision);
    }
    return allowed.reduce((nearest, decision) => (decision.remaining < nearest.remaining ? decision : nearest));
  }

  async peek(key: string, ...args: CheckArguments<Plan>): Promise<Decision> {
    const asked = this.#asked(key, args[0]);
    const decision = isNever(asked)
      ? never(asked)
      : await this.#askStores(asked, async (store, limits) => afterLook(asked, await store.peek(limits)));
    this.#takes.set(decision, undefined);
    return decision;
  }

  async refund(decision: Decision): Promise<void> {
    if (!this.#takes.has(decision)) throw new InvalidArgumentError('decision must be one that this limiter made');
    const take = this.#takes.get(decision);
    if (take === undefined) return;
    // Before the call: a lost answer must not give the cost back twice.
    this.#takes.set(decision, undefined);
    const { store, states } = take;
    const limits = { ...take.limits, nowMs: this.#clock() };
    await this.#within((signal) => store.giveBack({ ...limits, signal }, decision.cost, states));
  }

  async charge(key: string, ...args: CheckArguments<Plan>): Promise<Decision> {
    const asked = this.#asked(key, args[0]);
    const { limits, cost } = asked;
    const seen = await this.#within((signal) =>
      cost === 0 ? this.#store.peek({ ...limits, signal }) : this.#store.charge({ ...limits, signal }, cost),
    );
    const decision = decisionOf(
      { key, policies: limits.policies, cost },
      seen,
      reasonToRefuse(limits.policies, seen, 0),
      0,
    );
    this.#remember(asked, this.#store, decision, seen);
    return decision;
  }

  async block(key: string, forMs: number): Promise<void> {
    assertKey(key);
    if (!(typeof forMs === 'number' && forMs >= 0)) {
      throw new InvalidArgumentError(`forMs must be a number ≥ 0 (was ${String(forMs)})`);
    }
    const nowMs = this.#clock();
    const untilMs = Math.min(lastInstantMs, Math.ceil(nowMs + forMs));
    await this.#within((signal) => this.#store.block({ limiter: this.#name, key, nowMs, signal }, untilMs));
  }

  async delete(key: string): Promise<void> {
    assertKey(key);
    const nowMs = this.#clock();
    await this.#within((signal) => this.#store.delete({ limiter: this.#name, key, nowMs, signal }));
  }

  async waitUntilAllowed(key: string, ...args: WaitArguments<Plan>): Promise<Decision> {
    const { signal, maxWaitMs = Number.POSITIVE_INFINITY } = args[0] ?? {};
    if (!(typeof maxWaitMs === 'number' && maxWaitMs >= 0)) {
      throw new InvalidArgumentError(`maxWaitMs must be a number ≥ 0 (was ${String(maxWaitMs)})`);
    }
    const endMs = this.#clock() + maxWaitMs;
    for (;;) {
      signal?.throwIfAborted();
      const decision = await this.#check(key, args[0]);
      if (decision.allowed || decision.reason === 'never') return decision;
      const waitMs = Math.max(1, decision.retryAfterMs);
      if (this.#clock() + waitMs > endMs) return decision;
      await this.#delay(waitMs, signal);
    }
  }

  headers(decision: Decision, format: HeaderFormat = this.#options.headerFormat ?? 'draft-11'): Record<string, string> {
    return rateLimitHeaders(decision, { format, nowMs: this.#clock() });
  }

  async #check(key: string, options: unknown): Promise<Decision> {
    const asked = this.#asked(key, options);
    if (isNever(asked)) return this.#tell(never(asked));
    const decision = await this.#askStores(asked, async (store, limits) =>
      asked.cost === 0
        ? afterLook(asked, await store.peek(limits))
        : this.#afterTake(asked, store, await store.take(limits, asked.cost)),
    );
    return this.#tell(decision);
  }

  async #checkOrGiveBack(request: CheckRequest<Plan>, allowed: readonly Decision[]): Promise<Decision> {
    try {
      return await this.#check(request.key, request);
    } catch (error) {
      await this.#giveBackAll(allowed);
      throw error;
    }
  }

  /** Gives back as much as can be. What fails stays taken: that refuses too much for a while, and never too little. */
  async #giveBackAll(decisions: readonly Decision[]): Promise<void> {
    await Promise.allSettled(decisions.map((decision) => this.refund(decision)));
  }

  /** Reads all before any is asked: what is wrong with one must not show after others were taken. */
  #assertAll(requests: readonly CheckRequest<Plan>[]): void {
    if (!Array.isArray(requests) || requests.length === 0) {
      throw new InvalidArgumentError('requests must be a list of at least one');
    }
    for (const request of requests) this.#asked(request.key, request);
  }

  #asked(key: unknown, options: unknown): Asked {
    assertKey(key);
    const { cost = 1, for: plan } = optionsOf(options);
    assertCost(cost);
    return { limits: { limiter: this.#name, key, policies: this.#policiesFor(plan), nowMs: this.#clock() }, cost };
  }

  /** The decision of the store, or of the insurance store, or of the fail policy. */
  async #askStores(asked: Asked, ask: (store: LimitStore, limits: Limits) => Promise<Decision>): Promise<Decision> {
    try {
      if (isSync(this.#store)) return await ask(this.#store, asked.limits);
      return await this.#within((signal) => ask(this.#store, { ...asked.limits, signal }));
    } catch (error) {
      if (error instanceof OverloadedError) return unanswered(asked, 'overloaded');
      if (!(error instanceof StoreUnavailableError)) throw error;
      return this.#withoutStore(asked, error, ask);
    }
  }

  async #withoutStore(
    asked: Asked,
    error: StoreUnavailableError,
    ask: (store: LimitStore, limits: Limits) => Promise<Decision>,
  ): Promise<Decision> {
    const { insurance, failPolicy = 'open' } = this.#options;
    if (insurance !== undefined) {
      try {
        const decision = await this.#within((signal) => ask(insurance, { ...asked.limits, signal }));
        return this.#replace(decision, { ...decision, degraded: true });
      } catch (second) {
        if (!(second instanceof StoreUnavailableError)) throw second;
      }
    }
    const { key } = asked.limits;
    const policy = typeof failPolicy === 'function' ? failPolicy({ key, cost: asked.cost, error }) : failPolicy;
    const refused = unanswered(asked, 'unavailable');
    return policy === 'open' ? { ...refused, allowed: true, retryAfterMs: 0 } : refused;
  }

  /** One deadline over whatever a store does. What comes after it is not waited for. */
  async #within<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const abort = new AbortController();
    const done = new AbortController();
    const late = async (): Promise<never> => {
      await this.#delay(this.#deadlineMs, done.signal);
      const error = new StoreUnavailableError(`no answer within ${this.#deadlineMs} ms`);
      abort.abort(error);
      throw error;
    };
    try {
      return await Promise.race([call(abort.signal), late()]);
    } finally {
      done.abort();
    }
  }

  #afterTake(asked: Asked, store: LimitStore, taken: Taken): Decision {
    const { policies, key } = asked.limits;
    const reason = taken.taken ? undefined : (reasonToRefuse(policies, taken, asked.cost) ?? 'limited');
    const decision = decisionOf({ key, policies, cost: asked.cost }, taken, reason);
    if (taken.taken) this.#remember(asked, store, decision, taken);
    return decision;
  }

  /** Keeps what a decision took, for its refund. */
  #remember({ limits, cost }: Asked, store: LimitStore, decision: Decision, seen: Seen): void {
    if (cost > 0) this.#takes.set(decision, { store, limits, states: currentStates(limits.policies, seen) });
  }

  /** Puts a decision in another one's place, with what it took. */
  #replace(decision: Decision, by: Decision): Decision {
    this.#takes.set(by, this.#takes.get(decision));
    return by;
  }

  /** The decision as the caller gets it, known to be this limiter's. */
  #tell(decision: Decision): Decision {
    const { mode, onDecision } = this.#options;
    const told = mode === 'observe' && !decision.allowed ? { ...decision, allowed: true, retryAfterMs: 0 } : decision;
    this.#replace(decision, told);
    try {
      onDecision?.(told);
    } catch {
      // A check does not depend on who listens.
    }
    return told;
  }
}

function isSync(store: LimitStore): store is SyncLimitStore {
  return 'takeSync' in store;
}

function optionsOf(options: unknown): { readonly cost?: unknown; readonly for?: unknown } {
  if (options === undefined) return {};
  if (typeof options === 'object' && options !== null) return options;
  return { cost: options };
}
