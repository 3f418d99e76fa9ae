import { describe, expect, test } from 'vitest';
import { virtualClock } from '../clock.ts';
import { limitStoreConformance } from './conformance.ts';
import { createLimiter } from './limiter.ts';
import { memory } from './memory-store.ts';
import type { Limits, Policy, SyncLimitStore } from './store.ts';
import { tokenBucket } from './strategies/bucket.ts';
import { slidingWindow } from './strategies/sliding-window.ts';
import type { Strategy } from './strategies/strategy.ts';
import { fixedWindow } from './strategies/window.ts';

limitStoreConformance('memory', () => ({ store: memory() }));

const start = 1_764_504_000_000;
const hourMs = 3_600_000;
const window = fixedWindow({ limit: 1, windowMs: hourMs });

function limitsOf(key: string, nowMs = start, strategy: Strategy = window): Limits {
  const policies: readonly Policy[] = [{ name: 'default', strategy }];
  return { limiter: 'test', key, policies, nowMs };
}

/** True where the store still knows that something was taken: nothing fits then. */
function remembers(store: SyncLimitStore, key: string, nowMs = start): Promise<boolean> {
  return store.peek(limitsOf(key, nowMs)).then(({ states }) => states[0] !== undefined);
}

describe('memory is bounded', () => {
  test('by a number of keys: the one that was used least recently is forgotten, however it was used', async () => {
    const store = memory({ maxKeys: 3 });
    for (const key of ['a', 'b', 'c']) store.takeSync(limitsOf(key), 1);
    // A refusal is a use, too: else a key that asks in vain would be forgotten, and filled by that.
    expect(store.takeSync(limitsOf('a'), 1).taken).toBe(false);
    store.takeSync(limitsOf('d'), 1);
    const known = await Promise.all(['a', 'b', 'c', 'd'].map((key) => remembers(store, key)));
    expect(known).toEqual([true, false, true, true]);
    await store.charge(limitsOf('c'), 1);
    store.takeSync(limitsOf('e'), 1);
    expect(await Promise.all(['a', 'c'].map((key) => remembers(store, key)))).toEqual([false, true]);
  });

  test('by one key, if that is all that it may keep', async () => {
    const store = memory({ maxKeys: 1 });
    for (const key of ['a', 'b', 'a']) expect(store.takeSync(limitsOf(key), 1).taken).toBe(true);
    expect(store.takeSync(limitsOf('a'), 1).taken).toBe(false);
  });

  test('by time: each new key forgets up to two that are full again, a second after', async () => {
    const store = memory();
    const keys = ['a', 'b', 'c'];
    for (const key of keys) store.takeSync(limitsOf(key), 1);
    const known = (nowMs: number): Promise<boolean[]> => Promise.all(keys.map((key) => remembers(store, key, nowMs)));
    store.takeSync(limitsOf('d', start + hourMs + 999), 1);
    expect(await known(start)).toEqual([true, true, true]);
    store.takeSync(limitsOf('e', start + hourMs + 1000), 1);
    expect(await known(start)).toEqual([false, false, true]);
    store.takeSync(limitsOf('f', start + hourMs + 1000), 1);
    expect(await known(start)).toEqual([false, false, false]);
  });

  test.each([
    ['a bucket', tokenBucket({ capacity: 2, refillPerSecond: 1 }), 2000],
    ['a fixed window', fixedWindow({ limit: 2, windowMs: 2000 }), 2000],
    ['a sliding window', slidingWindow({ limit: 2, windowMs: 2000 }), 4000],
  ])('%s is kept while it matters', async (_name, strategy, matterMs) => {
    for (const [nowMs, isKnown] of [
      [start + matterMs + 999, true],
      [start + matterMs + 1000, false],
    ] as const) {
      const store = memory();
      store.takeSync(limitsOf('a', start, strategy), 2);
      store.takeSync(limitsOf('b', nowMs, strategy), 1);
      const { states } = await store.peek(limitsOf('a', start, strategy));
      expect(states[0] !== undefined).toBe(isKnown);
    }
  });

  test('by time also where a key that is older is in use all the while', async () => {
    const store = memory();
    const long = fixedWindow({ limit: 100, windowMs: 1000 * hourMs });
    store.takeSync(limitsOf('hot', start, long), 1);
    const keys = Array.from({ length: 50 }, (_, i) => `key ${i}`);
    for (const key of keys) store.takeSync(limitsOf(key), 1);
    const later = start + 2 * hourMs;
    for (let i = 0; i < 50; i++) {
      store.takeSync(limitsOf('hot', later, long), 1);
      store.takeSync(limitsOf(`later ${i}`, later), 1);
    }
    const known = await Promise.all(keys.map((key) => remembers(store, key)));
    expect(known.filter((isKnown) => isKnown)).toEqual([]);
    expect(await store.peek(limitsOf('hot', later, long))).toMatchObject({ states: [{ used: 51 }] });
  });

  test('a deleted key leaves the list whole', async () => {
    const store = memory({ maxKeys: 3 });
    for (const key of ['a', 'b', 'c']) store.takeSync(limitsOf(key), 1);
    for (const key of ['b', 'c', 'a', 'never there']) await store.delete(limitsOf(key));
    for (const key of ['d', 'e', 'f', 'g']) store.takeSync(limitsOf(key), 1);
    expect(await Promise.all(['d', 'e', 'f', 'g'].map((key) => remembers(store, key)))).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });
});

describe('a block', () => {
  test('outlives a flood of keys', async () => {
    const store = memory({ maxKeys: 10 });
    await store.block(limitsOf('bad'), start + hourMs);
    for (let i = 0; i < 100; i++) store.takeSync(limitsOf(`key ${i}`), 1);
    expect(store.takeSync(limitsOf('bad'), 1)).toMatchObject({ taken: false, blockedUntilMs: start + hourMs });
  });

  test('that is over is forgotten as others are made, and one that runs is not', async () => {
    const store = memory();
    const until = async (key: string): Promise<number> => (await store.peek(limitsOf(key))).blockedUntilMs;
    await store.block(limitsOf('long'), start + hourMs);
    for (const key of ['a', 'b', 'c']) await store.block(limitsOf(key), start + 1);
    for (let i = 0; i < 3; i++) await store.block(limitsOf(`later ${i}`, start + 5000), start + hourMs);
    expect(await Promise.all(['a', 'b', 'c'].map(until))).toEqual([0, 0, 0]);
    expect(await until('long')).toBe(start + hourMs);
  });

  test('is of one limiter alone', async () => {
    const store = memory();
    const clock = virtualClock(start);
    const [one, other] = ['one', 'other'].map((name) => createLimiter({ name, strategy: window, store, clock }));
    await one?.block('key', 1000);
    expect((await one?.check('key'))?.reason).toBe('blocked');
    expect((await other?.check('key'))?.allowed).toBe(true);
  });
});

test('the states of a plan outlive a check under another one', async () => {
  const clock = virtualClock(start);
  const plans = {
    both: { a: fixedWindow({ limit: 5, windowMs: hourMs }), b: fixedWindow({ limit: 3, windowMs: hourMs }) },
    swapped: { b: fixedWindow({ limit: 3, windowMs: hourMs }), a: fixedWindow({ limit: 5, windowMs: hourMs }) },
    other: { c: fixedWindow({ limit: 9, windowMs: hourMs }) },
    one: { b: fixedWindow({ limit: 3, windowMs: hourMs }) },
  };
  const limiter = createLimiter({ strategy: (plan: keyof typeof plans) => plans[plan], clock });
  const left = async (plan: keyof typeof plans) =>
    (await limiter.check('key', { cost: 1, for: plan })).policies.map(({ name, remaining }) => `${name} ${remaining}`);
  expect(await left('both')).toEqual(['a 4', 'b 2']);
  expect(await left('other')).toEqual(['c 8']);
  expect(await left('one')).toEqual(['b 1']);
  expect(await left('swapped')).toEqual(['b 0', 'a 3']);
  expect(await left('both')).toEqual(['a 3', 'b 0']);
  expect(await left('other')).toEqual(['c 7']);
});

test('a cost of 0 keeps nothing', async () => {
  const store = memory();
  expect(store.takeSync(limitsOf('a'), 0)).toMatchObject({ taken: true });
  expect(await remembers(store, 'a')).toBe(false);
  const bucket = tokenBucket({ capacity: 4, refillPerSecond: 1 });
  store.takeSync(limitsOf('b', start + hourMs, bucket), 1);
  const { states } = store.takeSync(limitsOf('b', start, bucket), 0);
  expect(await store.peek(limitsOf('b', start, bucket))).toMatchObject({ states });
});

test.each([
  ['a bucket', tokenBucket({ capacity: 4, refillPerSecond: 1 })],
  ['a fixed window', fixedWindow({ limit: 4, windowMs: hourMs })],
  ['a sliding window', slidingWindow({ limit: 4, windowMs: hourMs })],
])('what was told of %s stays as it was, whatever is taken after', async (_name, strategy) => {
  const store = memory();
  const limits = limitsOf('a', start, strategy);
  const told = [
    store.takeSync(limits, 1),
    store.takeSync(limits, 1),
    store.takeSync(limits, 4),
    store.takeSync(limits, 0),
    await store.peek(limits),
    await store.charge(limits, 1),
  ];
  const copies = structuredClone(told);
  store.takeSync(limits, 1);
  await store.giveBack(
    limits,
    1,
    (told[0]?.states ?? []).filter((state) => state !== undefined),
  );
  expect(told).toEqual(copies);
});

test('a policy without a state to give back to stays as it is', async () => {
  const store = memory();
  store.takeSync(limitsOf('a'), 1);
  await store.giveBack(limitsOf('a'), 1, []);
  expect(store.takeSync(limitsOf('a'), 1).taken).toBe(false);
});

test('a refund to a key that is forgotten keeps nothing', async () => {
  const store = memory();
  const { states } = store.takeSync(limitsOf('a'), 1);
  await store.delete(limitsOf('a'));
  await store.giveBack(
    limitsOf('a'),
    1,
    states.filter((state) => state !== undefined),
  );
  expect(await remembers(store, 'a')).toBe(false);
});
