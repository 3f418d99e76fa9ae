import type { Decision } from './decision.ts';
import type { HeaderFormat } from './headers.ts';
import type { CheckArguments, CheckRequest, LimiterOptions, WaitArguments } from './limiter-options.ts';
import type { SyncLimitStore } from './store.ts';
import { StoreLimiter } from './store-limiter.ts';

/** A limiter: limits of one name, each key apart. One of plans is not assignable to one without, or of other plans. */
export interface Limiter<in out Plan = never> {
  /**
   * Takes a cost from every limit of a key, or from none. A cost of 0 only looks.
   *
   * @param args the cost (1 when left out), or `{ cost, for }`
   * @throws InvalidArgumentError for a key or a cost outside its domain, whatever the fail policy; what a store throws that
   * is set up wrongly
   */
  // A property: the arguments of methods are compared loosely.
  readonly check: (key: string, ...args: CheckArguments<Plan>) => Promise<Decision>;
  /** Checks each of a list, independently and in its order; stores that can take several together do. */
  checkMany(requests: readonly CheckRequest<Plan>[]): Promise<Decision[]>;
  /**
   * Checks several keys, one after the other. The first refusal ends it, and what was taken before is given back. It is
   * not atomic: until then others may be refused for it.
   *
   * @returns the refusal, or else the decision of the key that is nearest to refuse; its refund is of that key alone
   */
  checkAll(requests: readonly CheckRequest<Plan>[]): Promise<Decision>;
  /** The decision that a check would come to, without taking anything. */
  peek(key: string, ...args: CheckArguments<Plan>): Promise<Decision>;
  /**
   * Gives back what a decision took, once: a second time, and for a refusal, it does nothing. A cost returns to the window
   * that it was taken from; a bucket gets what has not refilled since.
   *
   * @throws InvalidArgumentError for a decision that this limiter did not make; StoreUnavailableError
   */
  refund(decision: Decision): Promise<void>;
  /**
   * Takes a cost whatever is left, for what is only known afterwards. `remaining` may fall below 0, and checks are refused
   * until it is made up for.
   *
   * @throws InvalidArgumentError as check does; StoreUnavailableError
   */
  charge(key: string, ...args: CheckArguments<Plan>): Promise<Decision>;
  /** Refuses every check of a key for a while; 0 ends a block, Infinity has no end. Counts stay as they are. */
  block(key: string, forMs: number): Promise<void>;
  /** Forgets a key: its limits are full, and it is not blocked. */
  delete(key: string): Promise<void>;
  /**
   * Checks until it is allowed.
   *
   * @returns the decision that allowed it, or the refusal after which more than `maxWaitMs` would have to pass, or that no
   * wait helps
   */
  waitUntilAllowed(key: string, ...args: WaitArguments<Plan>): Promise<Decision>;
  /** The response headers that tell a caller its limits. */
  headers(decision: Decision, format?: HeaderFormat): Record<string, string>;
}

/** A limiter on a store that answers at once. */
export interface SyncLimiter<in out Plan = never> extends Limiter<Plan> {
  /** {@link Limiter.check}, without a promise. */
  checkSync(key: string, ...args: CheckArguments<Plan>): Decision;
}

/**
 * Makes a limiter. Only the strategy is needed; without a store it counts in this process's memory.
 *
 * @example
 * ```ts
 * const limiter = createLimiter({ strategy: fixedWindow({ limit: 2, windowMs: 60_000 }) });
 * const decision = await limiter.check('ada');
 * decision.remaining; // 1
 * await limiter.refund(decision);
 * (await limiter.check('ada', 2)).allowed; // true
 * (await limiter.check('ada')).reason; // 'limited'
 * ```
 *
 * @throws InvalidArgumentError that names the option and what was expected
 */
export function createLimiter<Plan = never>(
  options: LimiterOptions<Plan> & { readonly store?: SyncLimitStore },
): SyncLimiter<NoInfer<Plan>>;
export function createLimiter<Plan = never>(options: LimiterOptions<Plan>): Limiter<NoInfer<Plan>>;
export function createLimiter<Plan = never>(options: LimiterOptions<Plan>): Limiter<Plan> {
  return new StoreLimiter<Plan>(options);
}
