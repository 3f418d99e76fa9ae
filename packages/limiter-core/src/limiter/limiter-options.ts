import type { Clock } from '../clock.ts';
import type { Decision } from './decision.ts';
import type { Delay } from './delay.ts';
import type { HeaderFormat } from './headers.ts';
import type { Strategies } from './policies.ts';
import type { LimitStore } from './store.ts';

/** The answer while no store can be asked: let through, or refuse as `unavailable`. */
export type FailPolicy = 'open' | 'closed';

/** One check that no store could answer. */
export interface FailedCheck {
  readonly key: string;
  readonly cost: number;
  readonly error: Error;
}

/** A limiter's options beside its strategy and its store. */
export interface CommonOptions {
  /**
   * The limiter's name, 1 to 64 letters, digits, dots, underscores and hyphens. Limiters of different names share a store
   * and never a key.
   *
   * @default 'default'
   */
  readonly name?: string;
  /**
   * The answer while the store cannot be asked, one for all or by the check.
   *
   * @default 'open'
   */
  readonly failPolicy?: FailPolicy | ((failed: FailedCheck) => FailPolicy);
  /** A store to ask while the first one cannot be: memory, as a rule. Its decisions are `degraded`. */
  readonly insurance?: LimitStore;
  /**
   * The longest wait for the store, over all of its attempts: milliseconds.
   *
   * @default 250
   */
  readonly deadlineMs?: number;
  /**
   * `observe` allows everything and counts what fits. A decision's `reason` then tells what would have been refused.
   *
   * @default 'enforce'
   */
  readonly mode?: 'enforce' | 'observe';
  /** Told of every decision of a check, for logs and metrics. What it throws is ignored: a check does not depend on it. */
  readonly onDecision?: (decision: Decision) => void;
  /**
   * The form of {@link Limiter.headers}.
   *
   * @default 'draft-11'
   */
  readonly headerFormat?: HeaderFormat;
  /** The time, milliseconds since the Unix epoch; the machine's own when left out. */
  readonly clock?: Clock;
  /** The pause of waits and deadlines; the runtime's timer when left out. */
  readonly delay?: Delay;
}

/** A limiter's options. */
export interface LimiterOptions<Plan = never> extends CommonOptions {
  /**
   * The limits: a strategy, a named record of them (all or nothing), or a function from the caller's plan to either. With a
   * function every check names its plan, by `for`.
   */
  readonly strategy: Strategies | ((plan: Plan) => Strategies);
  /** The store of what was taken; this process's memory when left out. */
  readonly store?: LimitStore;
}

/** One check's options; `for` is the plan, where the strategy is a function of one. */
export type CheckOptions<Plan> = { readonly cost?: number } & ([Plan] extends [never]
  ? unknown
  : { readonly for: Plan });

/** The last arguments of a check: the cost alone or options; they may be left out where no plan is needed. */
export type CheckArguments<Plan> = [Plan] extends [never]
  ? [options?: number | CheckOptions<Plan>]
  : [options: CheckOptions<Plan>];

/** One check of several: its key, its cost and its plan. */
export type CheckRequest<Plan> = { readonly key: string } & CheckOptions<Plan>;

/** A wait's options. */
export type WaitOptions<Plan> = CheckOptions<Plan> & {
  /** Ends the wait: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * The longest wait: milliseconds.
   *
   * @default no bound
   */
  readonly maxWaitMs?: number;
};

/** The last argument of a wait. */
export type WaitArguments<Plan> = [Plan] extends [never] ? [options?: WaitOptions<Plan>] : [options: WaitOptions<Plan>];
