import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { virtualClock } from '../clock.ts';
import { InvalidArgumentError } from '../errors.ts';
import { type Check, Limiter } from './limiter.ts';
import { MemoryBucketStore } from './memory-bucket-store.ts';
import { noon } from './testing/build.ts';

interface Step {
  /** Milliseconds after the start. */
  readonly at: number;
  readonly cost: number;
  readonly want: Check['kind'];
  readonly remaining?: number;
  readonly retryAfterMs?: number;
}

async function expectSteps(rate: { refillPerSecond: number; burst: number }, steps: readonly Step[]): Promise<void> {
  const clock = virtualClock(noon);
  const limiter = new Limiter({ store: new MemoryBucketStore(), rate, clock });
  for (const { at, cost, want, ...rest } of steps) {
    clock.set(noon + at);
    expect(await limiter.check('acme', cost), `at ${at} for ${cost}`).toMatchObject({ kind: want, ...rest });
  }
}

describe('with 10 a second and a burst of 3', () => {
  const rate = { refillPerSecond: 10, burst: 3 };

  test('the burst is allowed at once, then one unit each interval', async () => {
    await expectSteps(rate, [
      { at: 0, cost: 1, want: 'allowed', remaining: 2 },
      { at: 0, cost: 2, want: 'allowed', remaining: 0 },
      { at: 0, cost: 1, want: 'not_yet', remaining: 0, retryAfterMs: 100 },
      { at: 99, cost: 1, want: 'not_yet', remaining: 0, retryAfterMs: 1 },
      { at: 100, cost: 1, want: 'allowed', remaining: 0 },
      { at: 350, cost: 3, want: 'not_yet', remaining: 2, retryAfterMs: 50 },
      { at: 400, cost: 3, want: 'allowed', remaining: 0 },
      { at: 60_000, cost: 1, want: 'allowed', remaining: 2 },
    ]);
  });

  test('more than the bucket ever holds is never, and takes nothing', async () => {
    await expectSteps(rate, [
      { at: 0, cost: 4, want: 'never' },
      { at: 0, cost: 3, want: 'allowed', remaining: 0 },
      { at: 0, cost: 4, want: 'never' },
    ]);
  });

  test('a denial takes nothing, so that asking again and again delays nobody', async () => {
    await expectSteps(rate, [
      { at: 0, cost: 3, want: 'allowed' },
      ...Array.from({ length: 50 }, (_, i): Step => ({ at: i, cost: 1, want: 'not_yet', retryAfterMs: 100 - i })),
      { at: 100, cost: 1, want: 'allowed' },
    ]);
  });

  test('a clock that goes back neither fills nor empties the bucket, and says how long the wait is by it', async () => {
    await expectSteps(rate, [
      { at: 1000, cost: 3, want: 'allowed', remaining: 0 },
      { at: 500, cost: 1, want: 'not_yet', remaining: 0, retryAfterMs: 600 },
      { at: 1000, cost: 1, want: 'not_yet', retryAfterMs: 100 },
      { at: 1100, cost: 1, want: 'allowed' },
    ]);
  });

  test('a bucket says when it is full again', async () => {
    const limiter = new Limiter({ store: new MemoryBucketStore(), rate, clock: virtualClock(noon) });
    expect(await limiter.check('acme', 2)).toEqual({ kind: 'allowed', remaining: 1, resetAtMs: noon + 200 });
  });
});

test('keys have buckets of their own', async () => {
  const rate = { refillPerSecond: 1, burst: 1 };
  const limiter = new Limiter({ store: new MemoryBucketStore(), rate, clock: virtualClock(noon) });
  expect((await limiter.check('acme', 1)).kind).toBe('allowed');
  expect((await limiter.check('other', 1)).kind).toBe('allowed');
  expect((await limiter.check('acme', 1)).kind).toBe('not_yet');
});

test('waiting as long as told is enough, a millisecond less is not, and what remains can be taken', async () => {
  const steps = fc.array(fc.record({ elapsedMs: fc.nat(400), cost: fc.integer({ min: 1, max: 8 }) }), {
    maxLength: 20,
  });
  const refills = fc.constantFrom(0.3, 3, 7, 10, 1111);
  await fc.assert(
    fc.asyncProperty(steps, refills, async (list, refillPerSecond) => {
      const clock = virtualClock(noon);
      const limiter = new Limiter({ store: new MemoryBucketStore(), rate: { refillPerSecond, burst: 8 }, clock });
      for (const { elapsedMs, cost } of list) {
        clock.advance(elapsedMs);
        const check = await limiter.check('acme', cost);
        if (check.kind !== 'not_yet') continue;
        expect(check.remaining).toBeLessThan(cost);
        clock.advance(check.retryAfterMs - 1);
        expect((await limiter.check('acme', cost)).kind).toBe('not_yet');
        clock.advance(1);
        const after = await limiter.check('acme', cost);
        expect(after.kind).toBe('allowed');
        if (after.kind === 'allowed' && after.remaining > 0) {
          expect((await limiter.check('acme', after.remaining)).kind).toBe('allowed');
        }
      }
    }),
  );
});

test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
  'a cost of %d is a mistake of the caller',
  async (cost) => {
    const rate = { refillPerSecond: 1, burst: 1 };
    const limiter = new Limiter({ store: new MemoryBucketStore(), rate, clock: virtualClock(noon) });
    await expect(limiter.check('acme', cost)).rejects.toThrow(InvalidArgumentError);
  },
);

test('an error of the store is thrown: an error is never an answer', async () => {
  const store = { take: () => Promise.reject(new Error('table is away')) };
  const limiter = new Limiter({ store, rate: { refillPerSecond: 1, burst: 1 }, clock: virtualClock(noon) });
  await expect(limiter.check('acme', 1)).rejects.toThrow('table is away');
});
