import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLimiter } from './limiter.ts';
import { memory } from './memory-store.ts';
import { fixedWindow } from './strategies/window.ts';
import { remoteStore } from './testing/stores.ts';
import { systemTimer, timerOf } from './timer.ts';

const dayMs = 86_400_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const unexpected = (error: unknown): never => {
  throw error;
};

test("the runtime's timer calls its end once, at its time, unless it is stopped before", () => {
  const ends: string[] = [];
  systemTimer(100, () => ends.push('first'), unexpected);
  const stop = systemTimer(100, () => ends.push('stopped'), unexpected);
  vi.advanceTimersByTime(99);
  stop();
  expect(ends).toEqual([]);
  vi.advanceTimersByTime(1000);
  expect(ends).toEqual(['first']);
  expect(vi.getTimerCount()).toBe(0);
});

test("the runtime's timer of more than it can be set to does not end at once", () => {
  const ends: string[] = [];
  systemTimer(Number.MAX_SAFE_INTEGER, () => ends.push('far'), unexpected);
  vi.advanceTimersByTime(24 * dayMs);
  expect(ends).toEqual([]);
});

test('a timer by pauses ends with the pause, and stopping it aborts the signal of the pause', async () => {
  const pauses: { readonly ms: number; readonly signal: AbortSignal | undefined; readonly resolve: () => void }[] = [];
  const timer = timerOf((ms, signal) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    pauses.push({ ms, signal, resolve });
    return promise;
  });
  const ended = Promise.withResolvers<void>();
  timer(100, ended.resolve, ended.reject);
  timer(200, unexpected as () => never, unexpected)();
  expect(pauses.map(({ ms, signal }) => [ms, signal?.aborted])).toEqual([
    [100, false],
    [200, true],
  ]);
  pauses[0]?.resolve();
  await ended.promise;
});

test('a timer by pauses fails as the pause does, also where that throws', async () => {
  const error = new Error('no timers');
  for (const delay of [
    () => Promise.reject(error),
    () => {
      throw error;
    },
  ]) {
    const failed = Promise.withResolvers<unknown>();
    timerOf(delay)(100, () => failed.reject(new Error('it ended')), failed.resolve);
    expect(await failed.promise).toBe(error);
  }
});

test("a limiter's deadline is by the runtime's timer, which ends with the answer", async () => {
  const strategy = fixedWindow({ limit: 10, windowMs: dayMs });
  const silent = createLimiter({ strategy, store: remoteStore(memory(), () => new Promise(() => {})) });
  const checked = silent.check('key');
  vi.advanceTimersByTime(249);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1);
  expect(await checked).toMatchObject({ reason: 'unavailable', degraded: true });
  expect(await createLimiter({ strategy, store: remoteStore(memory()) }).check('key')).toMatchObject({ remaining: 9 });
  expect(vi.getTimerCount()).toBe(0);
});
