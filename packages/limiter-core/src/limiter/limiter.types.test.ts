import { expectTypeOf, test } from 'vitest';
import type { Decision } from './decision.ts';
import { createLimiter, type Limiter, type SyncLimiter } from './limiter.ts';
import { memory } from './memory-store.ts';
import type { LimitStore } from './store.ts';
import { tokenBucket } from './strategies/bucket.ts';
import { fixedWindow } from './strategies/window.ts';

const bucket = tokenBucket({ capacity: 10, refillPerSecond: 1 });
const remote: LimitStore = memory();

test('a limiter needs a strategy alone, and counts in memory then', () => {
  expectTypeOf(createLimiter({ strategy: bucket })).toEqualTypeOf<SyncLimiter>();
  expectTypeOf(
    createLimiter({ strategy: { a: bucket, b: fixedWindow({ limit: 1, windowMs: 1 }) } }),
  ).toEqualTypeOf<SyncLimiter>();
  expectTypeOf<{ readonly name: string }>().not.toExtend<Parameters<typeof createLimiter>[0]>();
});

test('only a store that answers at once has checkSync', () => {
  expectTypeOf(createLimiter({ strategy: bucket, store: memory() })).toEqualTypeOf<SyncLimiter>();
  expectTypeOf(createLimiter({ strategy: bucket, store: remote })).toEqualTypeOf<Limiter>();
  expectTypeOf<Limiter>().not.toHaveProperty('checkSync');
  expectTypeOf<SyncLimiter>().toExtend<Limiter>();
});

test('a check names its plan exactly where the strategy is a function of one', () => {
  const planned = createLimiter({ strategy: (plan: 'free' | 'pro') => (plan === 'pro' ? bucket : { bucket }) });
  expectTypeOf(planned).toEqualTypeOf<SyncLimiter<'free' | 'pro'>>();
  type Check = Parameters<typeof planned.check>;
  expectTypeOf<Check>().toEqualTypeOf<
    [key: string, options: { readonly cost?: number } & { readonly for: 'free' | 'pro' }]
  >();
  expectTypeOf<[string, { for: 'pro'; cost: number }]>().toExtend<Check>();
  expectTypeOf<[string]>().not.toExtend<Check>();
  expectTypeOf<[string, number]>().not.toExtend<Check>();
  expectTypeOf<[string, { for: 'gold' }]>().not.toExtend<Check>();
  expectTypeOf<[string, { cost: number }]>().not.toExtend<Parameters<typeof planned.peek>>();
  expectTypeOf<[string]>().not.toExtend<Parameters<typeof planned.charge>>();
  expectTypeOf<[string]>().not.toExtend<Parameters<typeof planned.waitUntilAllowed>>();
  expectTypeOf<{ key: string }>().not.toExtend<Parameters<typeof planned.checkMany>[0][number]>();
  expectTypeOf<{ key: string; for: 'free' }>().toExtend<Parameters<typeof planned.checkAll>[0][number]>();
});

test('a limiter of plans is none without, whose checks name no plan', () => {
  type Plan = 'free' | 'pro';
  expectTypeOf<Limiter<Plan>>().not.toExtend<Limiter>();
  expectTypeOf<SyncLimiter<Plan>>().not.toExtend<SyncLimiter>();
  expectTypeOf<SyncLimiter<Plan>>().not.toExtend<Limiter>();
});

test('without plans the options may be left out, and the cost be a number', () => {
  const limiter = createLimiter({ strategy: bucket });
  type Check = Parameters<typeof limiter.check>;
  expectTypeOf<[string]>().toExtend<Check>();
  expectTypeOf<[string, number]>().toExtend<Check>();
  expectTypeOf<[string, { cost: number }]>().toExtend<Check>();
  expectTypeOf<[string, string]>().not.toExtend<Check>();
  expectTypeOf<[string, { signal: AbortSignal; maxWaitMs: number }]>().toExtend<
    Parameters<typeof limiter.waitUntilAllowed>
  >();
});

test('a decision is told by every way of asking', () => {
  const limiter = createLimiter({ strategy: bucket });
  expectTypeOf(limiter.checkSync).returns.toEqualTypeOf<Decision>();
  expectTypeOf(limiter.check).returns.resolves.toEqualTypeOf<Decision>();
  expectTypeOf(limiter.peek).returns.resolves.toEqualTypeOf<Decision>();
  expectTypeOf(limiter.checkMany).returns.resolves.toEqualTypeOf<Decision[]>();
});
