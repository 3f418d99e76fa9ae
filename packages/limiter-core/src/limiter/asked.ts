import { type Decision, decisionOf, reasonToRefuse } from './decision.ts';
import type { Take } from './made-decision.ts';
import type { LimitStore, Limits, Seen, Taken } from './store.ts';

/** A key's limits, and the cost that is asked of them. */
export interface Asked extends Limits {
  readonly cost: number;
}

/** A decision, with what was taken for it. */
export interface Answer {
  readonly decision: Decision;
  readonly take?: Take | undefined;
}

/** The wait that is told where nothing is known: milliseconds. */
const unknownWaitMs = 1000;

/** Tells a cost that can never fit. It needs no store. */
export function isNever({ policies, cost }: Asked): boolean {
  for (const { strategy } of policies) if (cost > strategy.limit) return true;
  return false;
}

/** A refusal for good. It asks no store; `limit` is the most that could ever fit. */
export function never(asked: Asked): Decision {
  return { ...unanswered(asked, 'never'), retryAfterMs: 0, resetsAt: asked.nowMs };
}

/** A refusal that knows no state. */
export function unanswered(
  { key, policies, nowMs, cost }: Asked,
  reason: 'never' | 'overloaded' | 'unavailable',
): Decision {
  return {
    allowed: false,
    reason,
    key,
    cost,
    limit: Math.min(...policies.map(({ strategy }) => strategy.limit)),
    remaining: 0,
    retryAfterMs: unknownWaitMs,
    resetsAt: nowMs + unknownWaitMs,
    policies: [],
    degraded: reason === 'unavailable',
  };
}

/** The decision on a cost that a store was asked to take. A store that refuses what fits is believed. */
export function afterTake(asked: Asked, taken: Taken): Decision {
  return decisionOf(
    asked,
    taken,
    taken.taken ? undefined : (reasonToRefuse(asked.policies, taken, asked.cost) ?? 'limited'),
  );
}

/** The decision after a charge: nothing more is asked for, so it tells whether anything is owed. */
export function afterCharge(asked: Asked, seen: Seen): Decision {
  return decisionOf(asked, seen, reasonToRefuse(asked.policies, seen, 0), 0);
}

/** The decision that a cost would come to, by one look. */
export async function lookOf(asked: Asked, store: LimitStore): Promise<Answer> {
  const seen = await store.peek(asked);
  return { decision: decisionOf(asked, seen, reasonToRefuse(asked.policies, seen, asked.cost)) };
}

/** The decision on a cost by one call of a store: a look for a cost of 0, which takes nothing. */
export async function answerOf(asked: Asked, store: LimitStore): Promise<Answer> {
  if (asked.cost === 0) return lookOf(asked, store);
  const taken = await store.take(asked, asked.cost);
  return { decision: afterTake(asked, taken), take: taken.taken ? { store, limits: asked, seen: taken } : undefined };
}
