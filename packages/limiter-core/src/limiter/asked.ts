import { type Decision, decisionOf, reasonToRefuse } from './decision.ts';
import type { Limits, Seen } from './store.ts';

/** A key's limits, and the cost that is asked of them. */
export interface Asked {
  readonly limits: Limits;
  readonly cost: number;
}

/** The wait that is told where nothing is known: milliseconds. */
const unknownWaitMs = 1000;

/** Tells a cost that can never fit. It needs no store. */
export function isNever({ limits, cost }: Asked): boolean {
  return limits.policies.some(({ strategy }) => cost > strategy.limit);
}

/** A refusal for good. It asks no store; `limit` is the most that could ever fit. */
export function never(asked: Asked): Decision {
  const limit = Math.min(...asked.limits.policies.map(({ strategy }) => strategy.limit));
  return { ...unanswered(asked, 'never'), limit, retryAfterMs: 0, resetsAt: asked.limits.nowMs, degraded: false };
}

/** A refusal that knows no state. */
export function unanswered({ limits, cost }: Asked, reason: 'never' | 'overloaded' | 'unavailable'): Decision {
  return {
    allowed: false,
    reason,
    key: limits.key,
    cost,
    limit: Math.min(...limits.policies.map(({ strategy }) => strategy.limit)),
    remaining: 0,
    retryAfterMs: unknownWaitMs,
    resetsAt: limits.nowMs + unknownWaitMs,
    policies: [],
    degraded: reason === 'unavailable',
  };
}

/** The decision on a cost by a look at the key: nothing was taken. */
export function afterLook({ limits: { key, policies }, cost }: Asked, seen: Seen): Decision {
  return decisionOf({ key, policies, cost }, seen, reasonToRefuse(policies, seen, cost));
}
