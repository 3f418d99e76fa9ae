import { expect } from 'vitest';
import { virtualClock } from '../../clock.ts';
import type { Decision } from '../decision.ts';
import { createLimiter, type Limiter } from '../limiter.ts';
import type { Strategies } from '../policies.ts';
import type { MakeStore } from './store-under-test.ts';

/** One step: what is done at an instant, and what is looked at of the decision. */
export interface Step {
  /** Milliseconds after the table's start. */
  readonly t: number;
  /** A check when left out; `refund` gives back what the step number `of`, counted from 0, took. */
  readonly op?: 'check' | 'peek' | 'charge' | 'refund' | 'block' | 'delete';
  /** 1 when left out. */
  readonly cost?: number;
  readonly of?: number;
  readonly forMs?: number;
  /** The number of the plan, 0 when left out. */
  readonly plan?: number;
  /** `remaining` is that of the limit that is nearest to refuse; `fullIn` is `resetsAt` from the step's instant. */
  readonly want?: Partial<Pick<Decision, 'allowed' | 'reason' | 'remaining' | 'limit' | 'retryAfterMs'>> & {
    readonly fullIn?: number;
  };
}

/** A decision that lets through, and one that does not yet. */
export const yes = { allowed: true, retryAfterMs: 0 } as const;
export const no = { allowed: false, reason: 'limited' } as const;

/** Steps of one key, in order. */
export interface StepTable {
  /** A sentence about what they show. */
  readonly name: string;
  readonly start?: string;
  readonly plans: readonly [Strategies, ...Strategies[]];
  readonly steps: readonly Step[];
}

/** Does a table's steps one after the other. */
export async function follow(make: MakeStore, { name, start = '2026-11-30T12:00:00Z', plans, steps }: StepTable) {
  const clock = virtualClock(start);
  const startMs = clock();
  const { store, close } = await make({ clock });
  try {
    const limiter = createLimiter<number>({
      name: name.replaceAll(/[^a-z0-9]+/gi, '-').slice(0, 60),
      strategy: (plan: number) => plans[plan] ?? plans[0],
      store,
      clock,
      deadlineMs: 60_000,
      failPolicy: ({ error }) => {
        throw error;
      },
    });
    const decisions: (Decision | undefined)[] = [];
    for (const [i, step] of steps.entries()) {
      clock.set(startMs + step.t);
      const decision = await take(limiter, step, decisions);
      decisions.push(decision);
      if (step.want === undefined) continue;
      const { fullIn, ...want } = step.want;
      const told = { ...decision, fullIn: (decision?.resetsAt ?? Number.NaN) - clock() };
      expect(told, `step ${i}: ${JSON.stringify(step)}`).toMatchObject(
        fullIn === undefined ? want : { ...want, fullIn },
      );
    }
  } finally {
    await close?.();
  }
}

async function take(
  limiter: Limiter<number>,
  { op = 'check', cost = 1, of = 0, forMs = 0, plan = 0 }: Step,
  decisions: readonly (Decision | undefined)[],
): Promise<Decision | undefined> {
  if (op === 'check' || op === 'peek' || op === 'charge') return limiter[op]('key', { cost, for: plan });
  if (op === 'block') await limiter.block('key', forMs);
  if (op === 'delete') await limiter.delete('key');
  const decision = decisions[of];
  if (op === 'refund' && decision !== undefined) await limiter.refund(decision);
  return undefined;
}
