import { expect } from 'vitest';
import { virtualClock } from '../../clock.ts';
import { createLimiter } from '../limiter.ts';
import type { Strategies } from '../policies.ts';
import { tokenBucket } from '../strategies/bucket.ts';
import { slidingWindow } from '../strategies/sliding-window.ts';
import { calendarWindow, fixedWindow } from '../strategies/window.ts';
import type { MakeStore } from './store-under-test.ts';

const limit = 20;

/** Strategies of which the limit is what is allowed at one instant. */
export const contended: readonly { readonly name: string; readonly strategy: Strategies }[] = [
  { name: 'a bucket', strategy: tokenBucket({ capacity: limit, refillPerSecond: 3 }) },
  { name: 'a fixed window', strategy: fixedWindow({ limit, windowMs: 1000 }) },
  { name: 'a sliding window', strategy: slidingWindow({ limit, windowMs: 1000 }) },
  {
    name: 'several limits',
    strategy: {
      bucket: tokenBucket({ capacity: limit + 5, refillPerSecond: 3 }),
      sliding: slidingWindow({ limit: limit + 1, windowMs: 1000 }),
      day: calendarWindow({ limit, unit: 'day' }),
    },
  },
];

const callers = 64;

/** Of many who ask for one key at once as many are allowed as the limit has room for, and all that is given back comes back. */
export async function contend(make: MakeStore, { name, strategy }: (typeof contended)[number]): Promise<void> {
  const clock = virtualClock('2026-11-30T12:00:00.250Z');
  const { store, close } = await make({ clock });
  try {
    const limiter = createLimiter({ name: name.replaceAll(' ', '-'), strategy, store, clock, deadlineMs: 60_000 });
    const decisions = await Promise.all(Array.from({ length: callers }, () => limiter.check('hot')));
    const allowed = decisions.filter((decision) => decision.allowed);
    expect(decisions.filter(({ degraded, reason }) => degraded || reason === 'overloaded')).toEqual([]);
    expect(allowed).toHaveLength(limit);
    expect((await limiter.peek('hot')).remaining).toBe(0);
    for (const decision of decisions.toReversed()) await limiter.refund(decision);
    expect((await limiter.peek('hot')).remaining).toBe(limit);
  } finally {
    await close?.();
  }
}

/** Keys that a careless store would take for one another, or for something of its own. */
const keys = [
  'a',
  'A',
  'a:a',
  'a a',
  ' a',
  'a\u0000',
  'é',
  'e\u0301',
  '__proto__',
  'constructor',
  'a~0',
  '%61',
  '\u{1F600}',
  'k'.repeat(1025),
  `${'k'.repeat(1025)}x`,
  'ü'.repeat(600),
];

/** Every key of every limiter has limits of its own. */
export async function keepApart(make: MakeStore): Promise<void> {
  const clock = virtualClock('2026-11-30T12:00:00Z');
  const { store, close } = await make({ clock });
  try {
    for (const name of ['a', 'a.a', 'a-']) {
      const strategy = fixedWindow({ limit: 1, windowMs: 60_000 });
      const limiter = createLimiter({ name, strategy, store, clock, deadlineMs: 60_000 });
      for (const key of keys) expect(await limiter.check(key), `${name} ${key}`).toMatchObject({ allowed: true });
      for (const key of keys) expect(await limiter.check(key), `${name} ${key}`).toMatchObject({ allowed: false });
    }
  } finally {
    await close?.();
  }
}
