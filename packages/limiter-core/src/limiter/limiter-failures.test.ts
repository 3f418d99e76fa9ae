import { describe, expect, test } from 'vitest';
import { virtualClock } from '../clock.ts';
import { InvalidArgumentError, UsherError } from '../errors.ts';
import type { Decision } from './decision.ts';
import type { Delay } from './delay.ts';
import { OverloadedError, StoreUnavailableError } from './errors.ts';
import { createLimiter } from './limiter.ts';
import type { FailedCheck, LimiterOptions } from './limiter-options.ts';
import { memory } from './memory-store.ts';
import type { LimitStore } from './store.ts';
import { fixedWindow } from './strategies/window.ts';
import { brokenStore, remoteStore } from './testing/stores.ts';

const clock = virtualClock('2026-11-30T12:00:00Z');
const strategy = fixedWindow({ limit: 10, windowMs: 60_000 });
const down = new StoreUnavailableError('connection refused');

function limiterOn(store: LimitStore, options: Partial<LimiterOptions> = {}) {
  return createLimiter({ strategy, store, clock, ...options });
}

describe('while the store cannot be asked', () => {
  test('a check is let through, told as degraded, unless the policy is another', async () => {
    expect(await limiterOn(brokenStore(down)).check('key', 3)).toEqual({
      allowed: true,
      reason: 'unavailable',
      key: 'key',
      cost: 3,
      limit: 10,
      remaining: 0,
      retryAfterMs: 0,
      resetsAt: clock() + 1000,
      policies: [],
      degraded: true,
    });
  });

  test('the policy `closed` refuses', async () => {
    const limiter = limiterOn(brokenStore(down), { failPolicy: 'closed' });
    const refused = { allowed: false, reason: 'unavailable', retryAfterMs: 1000, degraded: true };
    expect(await limiter.check('key')).toMatchObject(refused);
    expect(await limiter.peek('key')).toMatchObject(refused);
  });

  test('a function decides by the check', async () => {
    const asked: FailedCheck[] = [];
    const limiter = limiterOn(brokenStore(down), {
      failPolicy: (failed) => {
        asked.push(failed);
        return failed.cost > 1 ? 'closed' : 'open';
      },
    });
    expect((await limiter.check('key')).allowed).toBe(true);
    expect((await limiter.check('key', 2)).allowed).toBe(false);
    expect(asked).toEqual([
      { key: 'key', cost: 1, error: down },
      { key: 'key', cost: 2, error: down },
    ]);
  });

  test('a cost that never fits is refused all the same', async () => {
    expect(await limiterOn(brokenStore(down)).check('key', 11)).toMatchObject({
      allowed: false,
      reason: 'never',
      degraded: false,
    });
  });

  test('a refund, a charge, a block and a deletion tell it', async () => {
    let isDown = false;
    const limiter = limiterOn(remoteStore(memory(), async () => isDown && Promise.reject(down)));
    const decision = await limiter.check('key');
    isDown = true;
    await expect(limiter.refund(decision)).rejects.toBe(down);
    await expect(limiter.charge('key')).rejects.toBe(down);
    await expect(limiter.block('key', 1000)).rejects.toBe(down);
    await expect(limiter.delete('key')).rejects.toBe(down);
    isDown = false;
    // It may have been given back: a second time nothing is.
    await limiter.refund(decision);
    expect((await limiter.peek('key')).remaining).toBe(9);
  });

  test('the insurance store decides, degraded, and its decisions are refunded there', async () => {
    const insurance = memory();
    const limiter = limiterOn(brokenStore(down), { insurance, failPolicy: 'closed' });
    const decision = await limiter.check('key', 4);
    expect(decision).toMatchObject({ allowed: true, remaining: 6, degraded: true });
    expect(await limiter.check('key', 7)).toMatchObject({ allowed: false, reason: 'limited', degraded: true });
    await limiter.refund(decision);
    expect(await limiter.peek('key')).toMatchObject({ remaining: 10, degraded: true });
  });

  test('where the insurance store cannot be asked either, the policy decides', async () => {
    const limiter = limiterOn(brokenStore(down), { insurance: brokenStore(down), failPolicy: 'closed' });
    expect(await limiter.check('key')).toMatchObject({ allowed: false, reason: 'unavailable' });
    const wrong = limiterOn(brokenStore(down), { insurance: brokenStore(new UsherError('no table')) });
    await expect(wrong.check('key')).rejects.toThrow('no table');
  });
});

test('a throttled key is refused, whatever the policy, and no insurance is asked', async () => {
  const limiter = limiterOn(brokenStore(new OverloadedError()), { failPolicy: 'open', insurance: memory() });
  expect(await limiter.check('key')).toMatchObject({
    allowed: false,
    reason: 'overloaded',
    retryAfterMs: 1000,
    degraded: false,
    policies: [],
  });
});

test('anything else that a store throws is a mistake, and reaches the caller', async () => {
  const mistake = new Error('AccessDenied');
  const limiter = limiterOn(brokenStore(mistake), { insurance: memory() });
  await expect(limiter.check('key')).rejects.toBe(mistake);
  await expect(limiter.peek('key')).rejects.toBe(mistake);
  await expect(limiter.charge('key')).rejects.toBe(mistake);
});

describe('a store that answers at once', () => {
  const fail = (error: Error) => () => {
    throw error;
  };

  test('fails a check as any other does, whichever of its methods fails', async () => {
    for (const store of [
      Object.assign(memory(), { takeSync: fail(down) }),
      Object.assign(memory(), { take: async () => fail(down)() }),
    ]) {
      expect(await limiterOn(store).check('key')).toMatchObject({
        allowed: true,
        reason: 'unavailable',
        degraded: true,
      });
      const insured = limiterOn(store, { insurance: memory(), mode: 'observe' });
      const decisions = [await insured.check('key', 4), await insured.check('key', 7)];
      expect(decisions).toMatchObject([
        { allowed: true, remaining: 6, degraded: true },
        { allowed: true, reason: 'limited', degraded: true },
      ]);
      await insured.refund(decisions[0] as Decision);
      expect((await insured.check('key', 10)).reason).toBeUndefined();
    }
  });

  test('throttles a key, and tells a mistake, as any other does', async () => {
    const throttled = Object.assign(memory(), { takeSync: fail(new OverloadedError()) });
    expect(await limiterOn(throttled).check('key')).toMatchObject({ allowed: false, reason: 'overloaded' });
    const mistake = new Error('no table');
    const mistaken = limiterOn(Object.assign(memory(), { takeSync: fail(mistake) }), { insurance: memory() });
    await expect(mistaken.check('key')).rejects.toBe(mistake);
  });

  test("is asked by its `take` where that is a user's own", async () => {
    const store = memory();
    const own = { ...remoteStore(store), takeSync: fail(down) };
    expect(await limiterOn(own).check('key', 4)).toMatchObject({ allowed: true, remaining: 6, degraded: false });
    expect(await limiterOn(store).check('key')).toMatchObject({ remaining: 5 });
  });

  test('forgets a key that was only looked at as soon as it would without the look', async () => {
    const limiter = limiterOn(memory({ maxKeys: 2 }));
    for (const [key, cost] of [
      ['a', 1],
      ['b', 1],
      ['a', 0],
      ['c', 1],
    ] as const)
      await limiter.check(key, cost);
    expect(await Promise.all(['a', 'b'].map(async (key) => (await limiter.peek(key)).remaining))).toEqual([10, 9]);
  });
});

describe('the deadline', () => {
  /** A pause that ends when it is told to. */
  function manualDelay() {
    const pauses: { ms: number; signal: AbortSignal | undefined; end: () => void }[] = [];
    const delay: Delay = (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
        pauses.push({ ms, signal, end: resolve });
      });
    return { delay, pauses };
  }

  test('is 250 ms, or as it is told', async () => {
    for (const [options, ms] of [
      [{}, 250],
      [{ deadlineMs: 40 }, 40],
    ] as const) {
      const { delay, pauses } = manualDelay();
      await limiterOn(remoteStore(memory()), { delay, ...options }).check('key');
      expect(pauses.map((pause) => pause.ms)).toEqual([ms]);
    }
  });

  test('leaves no pause behind once the store has answered', async () => {
    const { delay, pauses } = manualDelay();
    await limiterOn(remoteStore(memory()), { delay }).check('key');
    expect(pauses.map(({ signal }) => signal?.aborted)).toEqual([true]);
  });

  test('ends the wait for the store, whose signal is aborted, and what comes after harms nobody', async () => {
    const { delay, pauses } = manualDelay();
    const signals: (AbortSignal | undefined)[] = [];
    const late = Promise.withResolvers<void>();
    const store = remoteStore(memory(), ({ signal }) => {
      signals.push(signal);
      return late.promise;
    });
    const checked = limiterOn(store, { delay, failPolicy: 'closed' }).check('key');
    pauses[0]?.end();
    expect(await checked).toMatchObject({ allowed: false, reason: 'unavailable' });
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
    // A rejection that nobody handles would fail the run of this test.
    late.reject(new Error('too late'));
    await expect(late.promise).rejects.toThrow('too late');
  });

  test('is over for each store by itself', async () => {
    const { delay, pauses } = manualDelay();
    const never = remoteStore(memory(), () => new Promise(() => {}));
    const checked = limiterOn(never, { delay, insurance: remoteStore(memory()) }).check('key');
    pauses[0]?.end();
    expect(await checked).toMatchObject({ allowed: true, degraded: true, remaining: 9 });
    expect(pauses).toHaveLength(2);
  });

  test('needs no pause for a store that answers at once', async () => {
    const { delay, pauses } = manualDelay();
    const limiter = limiterOn(memory(), { delay });
    const decision = await limiter.check('key');
    await limiter.peek('key');
    await limiter.charge('key');
    await limiter.refund(decision);
    await limiter.block('key', 5);
    await limiter.delete('key');
    expect(pauses).toEqual([]);
  });

  test('that throws no matter what it is asked stops nothing', async () => {
    const limiter = limiterOn(remoteStore(memory()), { delay: () => Promise.reject(new Error('no timers')) });
    await expect(limiter.check('key')).rejects.toThrow('no timers');
  });
});

describe('who listens to decisions', () => {
  test('hears each of a check, as the caller gets it, and no look', async () => {
    const heard: Decision[] = [];
    const limiter = createLimiter({ strategy, clock, onDecision: (decision) => heard.push(decision) });
    const decisions = [await limiter.check('key'), limiter.checkSync('key'), await limiter.check('key', 11)];
    await limiter.peek('key');
    await limiter.charge('key');
    expect(heard).toEqual(decisions);
    expect(heard[0]).toBe(decisions[0]);
  });

  test('hears of a check once it has returned', async () => {
    const heard: Decision[] = [];
    const limiter = createLimiter({ strategy, clock, onDecision: (decision) => heard.push(decision) });
    const checked = limiter.check('key');
    expect(heard).toEqual([]);
    expect(heard).toEqual([await checked]);
  });

  test('breaks nothing by throwing, nor by a promise that fails', async () => {
    const throwing = limiterOn(memory(), {
      onDecision: () => {
        throw new Error('no log');
      },
    });
    expect((await throwing.check('key')).allowed).toBe(true);
    const failing = limiterOn(memory(), { onDecision: (() => Promise.reject(new Error('no log'))) as () => void });
    expect((await failing.check('key')).allowed).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
  });
});

test('checkSync on a store that has to be waited for is a mistake', () => {
  const limiter = limiterOn(remoteStore(memory()));
  const checkSync: unknown = Reflect.get(limiter, 'checkSync');
  expect(() => typeof checkSync === 'function' && checkSync.call(limiter, 'key')).toThrow(InvalidArgumentError);
});
