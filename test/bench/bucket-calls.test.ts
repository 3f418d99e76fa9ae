import { calendarWindow, fixedWindow, slidingWindow, tokenBucket } from '@usher/limiter-core';
import { expect, test } from 'vitest';
import { countCalls } from './bucket-calls.ts';

const checks = 120;
const bucket = tokenBucket({ capacity: 100, refillPerSecond: 100 });

test.each([5, 50, 90])(
  'a bucket that one process asks %i times a second takes one call each, at most',
  async (demandPerSecond) => {
    const { allowed, calls, reads } = await countCalls({
      strategy: bucket,
      processes: 1,
      demandPerSecond,
      checks,
      seed: 1,
    });
    expect(allowed).toBe(checks);
    expect(calls / allowed).toBeLessThanOrEqual(1.05);
    expect(reads).toBe(0);
  },
);

test('a bucket that eight processes keep busy takes few more calls than the floor of 1.1', async () => {
  const demandPerSecond = 90;
  const { allowed, calls } = await countCalls({
    strategy: bucket,
    processes: 8,
    demandPerSecond,
    checks: 500,
    seed: 1,
  });
  expect(allowed).toBe(500);
  expect(calls / allowed).toBeLessThan(1.25);
});

test.each([1, 8, 32])(
  'windows take one call each at most, of %i processes too, and from one window to the next',
  async (processes) => {
    const strategies = [
      fixedWindow({ limit: 1_000, windowMs: 1_000 }),
      calendarWindow({ limit: 1_000, unit: 'day', timezone: 'Europe/Berlin' }),
    ];
    for (const strategy of strategies) {
      const { allowed, calls, reads } = await countCalls({ strategy, processes, demandPerSecond: 20, checks, seed: 2 });
      expect(allowed).toBe(checks);
      expect(calls).toBeLessThanOrEqual(checks);
      // Fewer only where checks of one process came within one call's time.
      expect(calls).toBeGreaterThan(checks * 0.85);
      expect(reads).toBe(0);
    }
  },
);

test.each([1, 8, 32])('a sliding window takes at most 1.10 calls each, of %i processes', async (processes) => {
  const strategy = slidingWindow({ limit: 1_000, windowMs: 10_000 });
  const { allowed, calls } = await countCalls({ strategy, processes, demandPerSecond: 50, checks, seed: 3 });
  expect(allowed).toBe(checks);
  expect(calls / allowed).toBeLessThanOrEqual(1.1);
});

test('a refusal is one call and no read', async () => {
  const strategy = fixedWindow({ limit: 50, windowMs: 86_400_000 });
  const counted = await countCalls({ strategy, processes: 8, demandPerSecond: 5, checks, seed: 4 });
  expect(counted).toEqual({ allowed: 50, refused: 70, calls: 120, reads: 0 });
});

test('the same seed gives the same calls, another one others', async () => {
  const of = (seed: number) => countCalls({ strategy: bucket, processes: 8, demandPerSecond: 50, checks: 100, seed });
  expect(await of(5)).toEqual(await of(5));
  expect((await of(5)).calls).not.toBe((await of(6)).calls);
});
