import { describe, expect, test } from 'vitest';
import { virtualClock } from '../clock.ts';
import { InvalidArgumentError } from '../errors.ts';
import type { Delay } from './delay.ts';
import { StoreUnavailableError } from './errors.ts';
import { createLimiter } from './limiter.ts';
import { memory } from './memory-store.ts';
import { tokenBucket } from './strategies/bucket.ts';
import { fixedWindow } from './strategies/window.ts';
import { remoteStore } from './testing/stores.ts';

const start = '2026-11-30T12:00:00Z';
const window = fixedWindow({ limit: 10, windowMs: 60_000 });

function make() {
  const clock = virtualClock(start);
  return { clock, limiter: createLimiter({ strategy: window, clock }) };
}

describe('a decision', () => {
  test('tells everything, with a reason only where it refuses', async () => {
    const { limiter, clock } = make();
    expect(await limiter.check('key', 4)).toEqual({
      allowed: true,
      key: 'key',
      cost: 4,
      limit: 10,
      remaining: 6,
      retryAfterMs: 0,
      resetsAt: clock() + 60_000,
      policies: [
        { name: 'default', limit: 10, remaining: 6, windowMs: 60_000, retryAfterMs: 0, resetsAt: clock() + 60_000 },
      ],
      degraded: false,
    });
    expect(Object.keys(await limiter.check('key', 1))).not.toContain('reason');
    expect(await limiter.check('key', 6)).toMatchObject({ allowed: false, reason: 'limited', retryAfterMs: 60_000 });
  });

  test('is the same from checkSync, and as JSON holds no more than it tells', async () => {
    const [one, other] = [make().limiter, make().limiter];
    const decision = await one.check('key', 3);
    expect(other.checkSync('key', 3)).toEqual(decision);
    expect(Object.keys(JSON.parse(JSON.stringify(decision)))).toEqual(Object.keys(decision));
    expect(Object.keys(decision)).toHaveLength(9);
  });

  test('on a cost that never fits tells the most that does, of the limit that allows the least', async () => {
    const limiter = createLimiter({
      strategy: { day: window, burst: tokenBucket({ capacity: 4, refillPerSecond: 1 }) },
      clock: virtualClock(start),
    });
    for (const decision of [await limiter.check('key', 5), limiter.checkSync('key', 5), await limiter.peek('key', 5)]) {
      expect(decision).toMatchObject({ allowed: false, reason: 'never', limit: 4, retryAfterMs: 0, policies: [] });
    }
    expect((await limiter.peek('key')).policies.map(({ remaining }) => remaining)).toEqual([10, 4]);
  });

  test('on a cost of 0 takes nothing, also at once', async () => {
    const { limiter } = make();
    expect(limiter.checkSync('key', 0)).toMatchObject({ allowed: true, cost: 0, remaining: 10 });
    limiter.checkSync('key', 10);
    expect(limiter.checkSync('key', 0)).toMatchObject({ allowed: true, remaining: 0 });
    await limiter.refund(limiter.checkSync('key', 0));
    expect((await limiter.peek('key')).remaining).toBe(0);
  });
});

describe('a refund', () => {
  test('gives back what a decision took, once', async () => {
    const { limiter } = make();
    const [first, second] = [await limiter.check('key', 3), limiter.checkSync('key', 2)];
    await limiter.refund(first);
    await limiter.refund(first);
    expect((await limiter.peek('key')).remaining).toBe(8);
    await Promise.all([limiter.refund(second), limiter.refund(second), limiter.refund(second)]);
    expect((await limiter.peek('key')).remaining).toBe(10);
  });

  test('of a refusal, a look, or what never fits does nothing', async () => {
    const { limiter } = make();
    await limiter.check('key', 5);
    for (const decision of [
      await limiter.check('key', 6),
      limiter.checkSync('key', 6),
      await limiter.check('key', 11),
      await limiter.peek('key', 2),
      await limiter.check('key', 0),
    ]) {
      await limiter.refund(decision);
    }
    expect((await limiter.peek('key')).remaining).toBe(5);
  });

  test('of what another limiter decided, or of a copy, is a mistake', async () => {
    const { limiter } = make();
    const decision = await limiter.check('key', 3);
    for (const wrong of [await make().limiter.check('key'), { ...decision }, undefined, null, 'key'] as never[]) {
      await expect(limiter.refund(wrong)).rejects.toThrow(InvalidArgumentError);
      await expect(limiter.refund(wrong)).rejects.toThrow(/^decision must/);
    }
    expect((await limiter.peek('key')).remaining).toBe(7);
  });

  test('goes to the limits of then, whatever the plan is now', async () => {
    const clock = virtualClock(start);
    const limiter = createLimiter({
      strategy: (plan: number) => fixedWindow({ limit: plan, windowMs: 60_000 }),
      clock,
    });
    const decision = await limiter.check('key', { cost: 4, for: 10 });
    expect(await limiter.check('key', { cost: 1, for: 3 })).toMatchObject({ allowed: false, limit: 3, remaining: -1 });
    await limiter.refund(decision);
    expect(await limiter.check('key', { cost: 3, for: 3 })).toMatchObject({ allowed: true, remaining: 0 });
  });
});

describe('in observe mode', () => {
  const observer = () => createLimiter({ strategy: window, clock: virtualClock(start), mode: 'observe' });

  test('everything is let through, and the reason tells what would have been refused', async () => {
    const limiter = observer();
    await limiter.check('key', 8);
    expect(await limiter.check('key', 3)).toMatchObject({
      allowed: true,
      reason: 'limited',
      remaining: 2,
      retryAfterMs: 0,
    });
    expect(limiter.checkSync('key', 11)).toMatchObject({ allowed: true, reason: 'never' });
    await limiter.block('key', 1000);
    expect(await limiter.check('key')).toMatchObject({ allowed: true, reason: 'blocked' });
  });

  test('what did not fit took nothing, so that nothing of it is given back', async () => {
    const limiter = observer();
    const fitting = await limiter.check('key', 8);
    await limiter.refund(await limiter.check('key', 3));
    expect((await limiter.peek('key')).remaining).toBe(2);
    await limiter.refund(fitting);
    expect((await limiter.peek('key')).remaining).toBe(10);
  });
});

describe('several keys', () => {
  test('checkMany decides each by itself, in its order', async () => {
    const { limiter } = make();
    const decisions = await limiter.checkMany([
      { key: 'a', cost: 6 },
      { key: 'a', cost: 6 },
      { key: 'b', cost: 6 },
      { key: 'a', cost: 4 },
    ]);
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, false, true, true]);
  });

  test('checkAll takes from all, and tells the one with the least left', async () => {
    const { limiter } = make();
    await limiter.check('b', 5);
    const requests = [{ key: 'a', cost: 2 }, { key: 'b' }, { key: 'c' }];
    expect(await limiter.checkAll(requests)).toMatchObject({ allowed: true, key: 'b', remaining: 4 });
    expect((await limiter.peek('a')).remaining).toBe(8);
  });

  test('checkAll gives all back where one refuses, and asks no more', async () => {
    const { limiter } = make();
    await limiter.check('b', 10);
    const refused = await limiter.checkAll([{ key: 'a', cost: 2 }, { key: 'b' }, { key: 'c', cost: 3 }]);
    expect(refused).toMatchObject({ allowed: false, key: 'b', reason: 'limited' });
    for (const key of ['a', 'c']) expect((await limiter.peek(key)).remaining).toBe(10);
  });

  test('checkAll gives all back where the store fails, as far as it can', async () => {
    const store = memory();
    const calls: string[] = [];
    const failing = remoteStore(store, async ({ key }) => {
      calls.push(key);
      if (key === 'c') throw new Error('no table');
    });
    const limiter = createLimiter({ strategy: window, clock: virtualClock(start), store: failing });
    await expect(limiter.checkAll([{ key: 'a' }, { key: 'b' }, { key: 'c' }])).rejects.toThrow('no table');
    expect(calls).toEqual(['a', 'b', 'c', 'a', 'b']);
    for (const key of ['a', 'b']) expect((await limiter.peek(key)).remaining).toBe(10);
  });
});

describe('waiting until allowed', () => {
  function waiter(options: { readonly limit?: number } = {}) {
    const clock = virtualClock(start);
    const waits: number[] = [];
    const delay: Delay = async (ms, signal) => {
      signal?.throwIfAborted();
      waits.push(ms);
      clock.advance(ms);
    };
    const strategy = tokenBucket({ capacity: options.limit ?? 2, refillPerSecond: 1 });
    return { clock, waits, limiter: createLimiter({ strategy, clock, delay }) };
  }

  test('waits as long as it is told, and takes then', async () => {
    const { limiter, waits } = waiter();
    await limiter.check('key', 2);
    expect(await limiter.waitUntilAllowed('key', { cost: 2 })).toMatchObject({ allowed: true, remaining: 0 });
    expect(waits).toEqual([2000]);
  });

  test('ends at the refusal from which more than the longest wait would pass', async () => {
    const { limiter, waits } = waiter();
    await limiter.check('key', 2);
    expect(await limiter.waitUntilAllowed('key', { cost: 2, maxWaitMs: 1999 })).toMatchObject({ reason: 'limited' });
    expect(waits).toEqual([]);
    expect(await limiter.waitUntilAllowed('key', { cost: 2, maxWaitMs: 2000 })).toMatchObject({ allowed: true });
  });

  test('ends at once where no wait helps: a cost that never fits, a block without end', async () => {
    const { limiter, waits } = waiter();
    expect(await limiter.waitUntilAllowed('key', { cost: 3 })).toMatchObject({ reason: 'never' });
    await limiter.block('key', Number.POSITIVE_INFINITY);
    expect(await limiter.waitUntilAllowed('key')).toMatchObject({ reason: 'blocked' });
    expect(waits).toEqual([]);
  });

  test('outlasts a block that ends', async () => {
    const { limiter, waits } = waiter();
    await limiter.block('key', 5000);
    expect(await limiter.waitUntilAllowed('key')).toMatchObject({ allowed: true });
    expect(waits).toEqual([5000]);
  });

  test('is ended by its signal, before and while it waits', async () => {
    const { limiter } = waiter();
    await limiter.check('key', 2);
    const reason = new Error('gone');
    await expect(limiter.waitUntilAllowed('key', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const abort = new AbortController();
    const slow = createLimiter({
      strategy: tokenBucket({ capacity: 1, refillPerSecond: 0.001 }),
      delay: (_ms, signal) => {
        abort.abort(reason);
        return Promise.reject(signal?.reason);
      },
    });
    await slow.check('key');
    await expect(slow.waitUntilAllowed('key', { signal: abort.signal })).rejects.toBe(reason);
  });

  test('waits by the real timer, too, and its signal ends that', async () => {
    const limiter = createLimiter({ strategy: tokenBucket({ capacity: 1, refillPerSecond: 0.001 }) });
    await limiter.check('key');
    const abort = new AbortController();
    const waited = limiter.waitUntilAllowed('key', { signal: abort.signal });
    abort.abort(new Error('gone'));
    await expect(waited).rejects.toThrow('gone');
  });

  test('tells the refusal of a store that stays away, once that takes too long', async () => {
    const clock = virtualClock(start);
    const limiter = createLimiter({
      strategy: window,
      clock,
      delay: async (ms) => clock.advance(ms),
      failPolicy: 'closed',
      store: remoteStore(memory(), () => Promise.reject(new StoreUnavailableError('down'))),
    });
    expect(await limiter.waitUntilAllowed('key', { maxWaitMs: 3500 })).toMatchObject({ reason: 'unavailable' });
  });
});

test('headers are those of the decision, in the format of the limiter or of the call', async () => {
  const clock = virtualClock(start);
  const limiter = createLimiter({ strategy: window, clock, headerFormat: 'legacy' });
  const decision = await limiter.check('key', 4);
  expect(limiter.headers(decision)).toMatchObject({ 'X-RateLimit-Limit': '10', 'X-RateLimit-Remaining': '6' });
  expect(limiter.headers(decision, 'draft-11')).toHaveProperty('RateLimit');
});

test('a limiter of another name on one store has limits of its own', async () => {
  const store = memory();
  const clock = virtualClock(start);
  const [one, other] = ['one', 'other'].map((name) => createLimiter({ name, strategy: window, store, clock }));
  await one?.check('key', 10);
  expect((await one?.check('key'))?.allowed).toBe(false);
  expect((await other?.check('key'))?.allowed).toBe(true);
});
