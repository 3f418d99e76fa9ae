import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Leases } from './leases.ts';
import { memory } from './memory-store.ts';
import type { LimitStore, Limits } from './store.ts';
import { tokenBucket } from './strategies/bucket.ts';
import { slidingWindow } from './strategies/sliding-window.ts';
import { fixedWindow } from './strategies/window.ts';

const processes = 3;
const lease = { size: 6, maxAgeMs: 5000 };
const startMs = Date.parse('2026-11-30T12:00:00Z');

const burst = fc.record({
  process: fc.nat(processes - 1),
  waitMs: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 4000 })),
  costs: fc.array(fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 9 })), { minLength: 1, maxLength: 12 }),
  isStopped: fc.boolean(),
});

interface Allowed {
  readonly atMs: number;
  readonly cost: number;
}

/** The checks of one key that processes with leases allow; a process that is stopped loses its lease. */
async function allowedOf(
  strategy: Limits['policies'][number]['strategy'],
  bursts: readonly { process: number; waitMs: number; costs: number[]; isStopped: boolean }[],
): Promise<Allowed[]> {
  const shared = memory();
  const stores: LimitStore[] = Array.from({ length: processes }, () => new Leases(shared, lease));
  const allowed: Allowed[] = [];
  let nowMs = startMs;
  for (const { process, waitMs, costs, isStopped } of bursts) {
    nowMs += waitMs;
    const limits = { limiter: 'api', key: 'acme', policies: [{ name: 'one', strategy }], nowMs };
    const store = stores[process];
    const answers = await Promise.all(costs.map((cost) => store?.take(limits, cost)));
    for (const [i, cost] of costs.entries()) if (answers[i]?.taken) allowed.push({ atMs: nowMs, cost });
    if (isStopped) stores[process] = new Leases(shared, lease);
  }
  return allowed;
}

/** The most that is allowed beyond `limitOf` in any span that begins and ends with a check. */
function worstExcess(allowed: readonly Allowed[], limitOf: (spanMs: number) => number): number {
  let worst = Number.NEGATIVE_INFINITY;
  for (const [i, { atMs }] of allowed.entries()) {
    let sum = 0;
    for (const later of allowed.slice(i)) {
      sum += later.cost;
      worst = Math.max(worst, sum - limitOf(later.atMs - atMs));
    }
  }
  return worst;
}

const bursts = fc.array(burst, { minLength: 1, maxLength: 60 });

test('over any span a bucket allows at most processes × size more than without leases', async () => {
  const bucket = tokenBucket({ capacity: 20, refillPerSecond: 10 });
  await fc.assert(
    fc.asyncProperty(bursts, async (list) => {
      const allowed = await allowedOf(bucket, list);
      expect(worstExcess(allowed, (spanMs) => 20 + spanMs / 100)).toBeLessThanOrEqual(processes * lease.size);
    }),
    { numRuns: 300 },
  );
});

test('no window ever allows more than its limit', async () => {
  const window = fixedWindow({ limit: 20, windowMs: 2000 });
  await fc.assert(
    fc.asyncProperty(bursts, async (list) => {
      const perWindow = new Map<number, number>();
      for (const { atMs, cost } of await allowedOf(window, list)) {
        const start = Math.floor(atMs / 2000);
        perWindow.set(start, (perWindow.get(start) ?? 0) + cost);
      }
      expect(Math.max(0, ...perWindow.values())).toBeLessThanOrEqual(20);
    }),
    { numRuns: 300 },
  );
});

test('no window of a sliding limit ever allows more than the limit', async () => {
  const sliding = slidingWindow({ limit: 20, windowMs: 2000 });
  await fc.assert(
    fc.asyncProperty(bursts, async (list) => {
      const perWindow = new Map<number, number>();
      for (const { atMs, cost } of await allowedOf(sliding, list)) {
        const start = Math.floor(atMs / 2000);
        perWindow.set(start, (perWindow.get(start) ?? 0) + cost);
      }
      expect(Math.max(0, ...perWindow.values())).toBeLessThanOrEqual(20);
    }),
    { numRuns: 300 },
  );
});
