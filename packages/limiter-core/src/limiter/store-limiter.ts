import { InvalidArgumentError } from '../errors.ts';
import {
  type Answer,
  type Asked,
  afterCharge,
  afterTake,
  answerOf,
  isNever,
  lookOf,
  never,
  unanswered,
} from './asked.ts';
import { withinDeadline } from './deadline.ts';
import { currentStates, type Decision, lastInstantMs } from './decision.ts';
import { OverloadedError, StoreUnavailableError } from './errors.ts';
import { type HeaderFormat, rateLimitHeaders } from './headers.ts';
import { assertCost, assertKey } from './key.ts';
import type { SyncLimiter } from './limiter.ts';
import type { CheckArguments, CheckRequest, LimiterOptions, WaitArguments } from './limiter-options.ts';
import { type LimiterSettings, settingsOf } from './limiter-settings.ts';
import { MadeDecision, type Take } from './made-decision.ts';
import { takesAtOnce } from './memory-store.ts';
import type { LimitStore, SyncLimitStore } from './store.ts';

/** The one {@link Limiter}: it reads arguments, asks the store, and makes decisions of its answers. */
export class StoreLimiter<Plan> implements SyncLimiter<Plan> {
  readonly #settings: LimiterSettings;
  /** The store, where it answers at once. */
  readonly #syncStore: SyncLimitStore | undefined;

  constructor(options: LimiterOptions<Plan>) {
    this.#settings = settingsOf(options);
    const { store } = this.#settings;
    this.#syncStore = isSync(store) ? store : undefined;
  }

  checkSync(key: string, ...args: CheckArguments<Plan>): Decision {
    const store = this.#syncStore;
    if (store === undefined) {
      throw new InvalidArgumentError('checkSync needs a store that answers at once, such as memory()');
    }
    return this.#checkAtOnce(store, this.#asked(key, args[0]));
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
    if (requests.length === 0) throw new InvalidArgumentError('requests must be a list of at least one');
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
    if (isNever(asked)) return MadeDecision.handOut(never(asked), this, undefined);
    const { decision } = await this.#askStores(asked, lookOf);
    return MadeDecision.handOut(decision, this, undefined);
  }

  async refund(decision: Decision): Promise<void> {
    // Before the call: a lost answer must not give the cost back twice.
    const take = MadeDecision.releaseTake(decision, this);
    if (take === undefined) return;
    const { store, seen } = take;
    const states = currentStates(take.limits.policies, seen);
    const limits = { ...take.limits, nowMs: this.#now() };
    await this.#call(store, (signal) => store.giveBack({ ...limits, signal }, decision.cost, states));
  }

  async charge(key: string, ...args: CheckArguments<Plan>): Promise<Decision> {
    const asked = this.#asked(key, args[0]);
    const { store } = this.#settings;
    const { cost } = asked;
    const seen = await this.#call(store, (signal) =>
      cost === 0 ? store.peek({ ...asked, signal }) : store.charge({ ...asked, signal }, cost),
    );
    return MadeDecision.handOut(
      afterCharge(asked, seen),
      this,
      cost === 0 ? undefined : { store, limits: asked, seen },
    );
  }

  async block(key: string, forMs: number): Promise<void> {
    assertKey(key);
    assertWait('forMs', forMs);
    const { name, store } = this.#settings;
    const nowMs = this.#now();
    const untilMs = Math.min(lastInstantMs, Math.ceil(nowMs + forMs));
    await this.#call(store, (signal) => store.block({ limiter: name, key, nowMs, signal }, untilMs));
  }

  async delete(key: string): Promise<void> {
    assertKey(key);
    const { name, store } = this.#settings;
    const nowMs = this.#now();
    await this.#call(store, (signal) => store.delete({ limiter: name, key, nowMs, signal }));
  }

  async waitUntilAllowed(key: string, ...args: WaitArguments<Plan>): Promise<Decision> {
    const { signal, maxWaitMs = Number.POSITIVE_INFINITY } = args[0] ?? {};
    assertWait('maxWaitMs', maxWaitMs);
    const endMs = this.#now() + maxWaitMs;
    for (;;) {
      signal?.throwIfAborted();
      const decision = await this.#check(key, args[0]);
      if (decision.allowed || decision.reason === 'never' || decision.resetsAt >= lastInstantMs) return decision;
      const waitMs = Math.max(1, decision.retryAfterMs);
      if (this.#now() + waitMs > endMs) return decision;
      await this.#settings.delay(waitMs, signal);
    }
  }

  headers(decision: Decision, format: HeaderFormat = this.#settings.headerFormat): Record<string, string> {
    return rateLimitHeaders(decision, { format, nowMs: this.#now() });
  }

  #check(key: string, options: unknown): Promise<Decision> {
    let asked: Asked;
    try {
      asked = this.#asked(key, options);
    } catch (error) {
      return Promise.reject(error);
    }
    const { store, onDecision } = this.#settings;
    // A listener hears of a check once it has returned. A cost of 0 looks, and leaves no trace in the store.
    const isWaited = onDecision !== undefined || asked.cost === 0 || !takesAtOnce(store);
    return isWaited ? this.#checkByCall(asked) : this.#checkInTurn(store, asked);
  }

  /** A check without a wait within: each of those costs about as much as the decision. */
  #checkInTurn(store: SyncLimitStore, asked: Asked): Promise<Decision> {
    try {
      return Promise.resolve(this.#checkAtOnce(store, asked));
    } catch (error) {
      return this.#withoutStore(asked, error, answerOf).then(({ decision, take }) => this.#tell(decision, take));
    }
  }

  #checkAtOnce(store: SyncLimitStore, asked: Asked): Decision {
    if (isNever(asked)) return this.#tell(never(asked), undefined);
    const taken = store.takeSync(asked, asked.cost);
    return this.#tell(afterTake(asked, taken), taken.taken ? { store, limits: asked, seen: taken } : undefined);
  }

  async #checkByCall(asked: Asked): Promise<Decision> {
    if (isNever(asked)) return this.#tell(never(asked), undefined);
    const { decision, take } = await this.#askStores(asked);
    return this.#tell(decision, take);
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
    if (!Array.isArray(requests)) throw new InvalidArgumentError('requests must be a list');
    for (const request of requests) this.#asked(request?.key, request);
  }

  #asked(key: unknown, options: unknown): Asked {
    assertKey(key);
    const cost = costOf(options);
    assertCost(cost);
    const { name, policiesFor } = this.#settings;
    return { limiter: name, key, policies: policiesFor(planOf(options)), nowMs: this.#now(), cost };
  }

  /** @throws InvalidArgumentError where the clock tells no time: every comparison with that would let through */
  #now(): number {
    const nowMs = Math.floor(this.#settings.clock());
    if (!Number.isSafeInteger(nowMs)) throw new InvalidArgumentError('clock must answer a number of milliseconds');
    return nowMs;
  }

  /** The decision of the store, or of the insurance store, or of the fail policy. */
  async #askStores(asked: Asked, ask: typeof answerOf = answerOf): Promise<Answer> {
    const { store } = this.#settings;
    try {
      return await this.#call(store, (signal) => ask({ ...asked, signal }, store));
    } catch (error) {
      return this.#withoutStore(asked, error, ask);
    }
  }

  /** @throws the error, where it does not mean that the store could not be asked */
  async #withoutStore(asked: Asked, error: unknown, ask: typeof answerOf): Promise<Answer> {
    if (error instanceof OverloadedError) return { decision: unanswered(asked, 'overloaded') };
    if (!(error instanceof StoreUnavailableError)) throw error;
    const { insurance, failPolicy } = this.#settings;
    if (insurance !== undefined) {
      try {
        const { decision, take } = await this.#call(insurance, (signal) => ask({ ...asked, signal }, insurance));
        return { decision: { ...decision, degraded: true }, take };
      } catch (second) {
        if (!(second instanceof StoreUnavailableError)) throw second;
      }
    }
    const { key, cost } = asked;
    const policy = typeof failPolicy === 'function' ? failPolicy({ key, cost, error }) : failPolicy;
    const refused = unanswered(asked, 'unavailable');
    return { decision: policy === 'open' ? { ...refused, allowed: true, retryAfterMs: 0 } : refused };
  }

  /** Calls a store within the deadline; one that answers at once needs none. */
  #call<T>(store: LimitStore, call: (signal?: AbortSignal) => Promise<T>): Promise<T> {
    return isSync(store) ? call() : withinDeadline(call, this.#settings);
  }

  /** The decision as the caller gets it. */
  #tell(decision: Decision, take: Take | undefined): Decision {
    const { isObserving, onDecision } = this.#settings;
    const isLet = isObserving && !decision.allowed;
    const told = MadeDecision.handOut(isLet ? { ...decision, allowed: true, retryAfterMs: 0 } : decision, this, take);
    if (onDecision !== undefined) notify(onDecision, told);
    return told;
  }
}

/** Tells of a decision. A check does not depend on who listens, nor on what becomes of a promise of his. */
function notify(onDecision: (decision: Decision) => unknown, decision: Decision): void {
  try {
    const heard = onDecision(decision);
    if (heard instanceof Promise) heard.catch(() => {});
  } catch {
    // As above.
  }
}

function isSync(store: LimitStore): store is SyncLimitStore {
  return 'takeSync' in store;
}

function isOptions(options: unknown): options is { readonly cost?: unknown; readonly for?: unknown } {
  return typeof options === 'object' && options !== null && !Array.isArray(options);
}

/** The cost of a check's last argument, which is the cost itself or options: 1 where it is left out. */
function costOf(options: unknown): unknown {
  const cost = isOptions(options) ? options.cost : options;
  return cost === undefined ? 1 : cost;
}

function planOf(options: unknown): unknown {
  return isOptions(options) ? options.for : undefined;
}

function assertWait(field: string, ms: unknown): void {
  if (typeof ms === 'number' && ms >= 0) return;
  throw new InvalidArgumentError(`${field} must be a number ≥ 0 (was ${String(ms)})`);
}
