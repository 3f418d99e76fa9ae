import { InvalidArgumentError } from '../errors.ts';
import { MadeDecision } from './made-decision.ts';
import type { Policy, Seen } from './store.ts';
import type { Rule, State } from './strategies/strategy.ts';

/**
 * A refusal's reason:
 * - `limited`: not now; the cost fits after `retryAfterMs`
 * - `never`: the cost is above what a limit ever allows at once; `limit` tells that
 * - `blocked`: the key is blocked until `resetsAt`
 * - `overloaded`: the store throttles this key
 * - `unavailable`: the store could not be asked
 */
export type RefusalReason = 'limited' | 'never' | 'blocked' | 'overloaded' | 'unavailable';

/** One limit, as a decision leaves it. */
export interface PolicyStatus {
  readonly name: string;
  /** The most that is ever allowed at once. */
  readonly limit: number;
  /** Cost that fits now, a whole number; below 0 after a charge. */
  readonly remaining: number;
  /** The span in which the limit is used up once at most, or an empty bucket fills: milliseconds. */
  readonly windowMs: number;
  /** The wait until the cost that was asked for fits: milliseconds; 0 where it fits, or never does. */
  readonly retryAfterMs: number;
  /** The instant at which the limit is full again: milliseconds since the Unix epoch. */
  readonly resetsAt: number;
}

/** The answer to a check. */
export interface Decision {
  readonly allowed: boolean;
  /**
   * The reason of a refusal. With `allowed` it is what the limits alone would have refused for: the limiter only
   * observes, or the fail policy is `open`.
   */
  readonly reason?: RefusalReason;
  readonly key: string;
  readonly cost: number;
  /** The most that is ever allowed at once, of the limit that is nearest to refuse. */
  readonly limit: number;
  /** Cost that fits now, in the same limit: a whole number; below 0 after a charge. */
  readonly remaining: number;
  /** The wait until the cost fits all limits: milliseconds; 0 where it is allowed, or never fits. */
  readonly retryAfterMs: number;
  /**
   * The instant at which that limit is full again, or a block ends: milliseconds since the Unix epoch. A counted window's
   * is its end, whatever was taken of it.
   */
  readonly resetsAt: number;
  /** Every limit, in the order of the strategy. Empty where no store could be asked. */
  readonly policies: readonly PolicyStatus[];
  /** True where the store could not be asked, and the fail policy or the insurance store decided. */
  readonly degraded: boolean;
}

/** The latest instant of a date, the end of a block without end: milliseconds since the Unix epoch. */
export const lastInstantMs = 8_640_000_000_000_000;

/** The limits of a key, brought to the instant of the decision. */
export function currentStates(policies: readonly Policy[], { states, nowMs }: Seen): State[] {
  return policies.map(({ strategy }, i) => strategy.current(states[i], nowMs));
}

/** The reason for which a cost is refused, or undefined where it fits. Every store decides by this, or by the same rule. */
export function reasonToRefuse(policies: readonly Policy[], seen: Seen, cost: number): RefusalReason | undefined {
  const { states, nowMs } = seen;
  for (const { strategy } of policies) if (cost > strategy.limit) return 'never';
  if (seen.blockedUntilMs > nowMs) return 'blocked';
  let i = 0;
  for (const { strategy } of policies) {
    const rule: Rule = strategy;
    if (cost > rule.remaining(rule.current(states[i], nowMs), nowMs)) return 'limited';
    i++;
  }
  return undefined;
}

/** The decision on a cost, from the key as the store left it. After a charge nothing more is `asked` for: 0. */
export function decisionOf(
  { key, policies, cost }: { readonly key: string; readonly policies: readonly Policy[]; readonly cost: number },
  { states, nowMs, blockedUntilMs }: Seen,
  reason: RefusalReason | undefined,
  asked = cost,
): Decision {
  const waitsFor = reason === 'limited' || reason === 'blocked' ? asked : undefined;
  const statuses = new Array<PolicyStatus>(policies.length);
  let i = 0;
  for (const policy of policies) {
    statuses[i] = statusOf(policy, states[i], nowMs, waitsFor);
    i++;
  }
  const nearest = nearestOf(statuses, reason);
  const made = new MadeDecision();
  made.allowed = reason === undefined;
  made.key = key;
  made.cost = cost;
  made.limit = nearest.limit;
  made.remaining = nearest.remaining;
  made.retryAfterMs = nearest.retryAfterMs;
  made.resetsAt = nearest.resetsAt;
  made.policies = statuses;
  if (reason !== undefined) made.reason = reason;
  if (reason === 'blocked') {
    made.retryAfterMs = Math.max(nearest.retryAfterMs, blockedUntilMs - nowMs);
    made.resetsAt = blockedUntilMs;
  }
  return made;
}

/** A limit's part of a decision; `waitsFor` is the cost that has to wait, where one has. */
function statusOf(
  { name, strategy }: Policy,
  stored: State | undefined,
  nowMs: number,
  waitsFor: number | undefined,
): PolicyStatus {
  const rule: Rule = strategy;
  const current = rule.current(stored, nowMs);
  return {
    name,
    limit: rule.limit,
    remaining: rule.remaining(current, nowMs),
    windowMs: rule.windowMs,
    retryAfterMs: waitsFor === undefined ? 0 : rule.fitsAtMs(current, nowMs, waitsFor) - nowMs,
    resetsAt: rule.fullAtMs(current, nowMs),
  };
}

/** The limit that is nearest to refuse: by the longest wait, or else by the least that is left. */
function nearestOf(statuses: readonly PolicyStatus[], reason: RefusalReason | undefined): PolicyStatus {
  let nearest: PolicyStatus | undefined;
  for (const status of statuses) if (nearest === undefined || isNearer(status, nearest, reason)) nearest = status;
  if (nearest === undefined) throw new InvalidArgumentError('policies must be a list of at least one');
  return nearest;
}

function isNearer(a: PolicyStatus, b: PolicyStatus, reason: RefusalReason | undefined): boolean {
  if (reason === 'never') return a.limit < b.limit;
  if (a.retryAfterMs !== b.retryAfterMs) return a.retryAfterMs > b.retryAfterMs;
  return a.remaining < b.remaining;
}
