import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Bucket as BulkBucket, closeBucket, openBucket, Scheduler } from '../../bulk/token-bucket.ts';
import { type BucketState, tokenBucket } from './bucket.ts';

/** Refills whose interval is a whole number of microseconds: bulks are scheduled in those, and rounded up to one. */
const refills = fc.constantFrom(1, 2, 4, 5, 8, 10, 20, 25, 40, 50, 64, 100, 125, 200, 500, 1000, 2500);

const steps = fc.array(fc.record({ idleMs: fc.oneof(fc.constant(0), fc.nat({ max: 3000 })), cost: fc.nat() }), {
  minLength: 1,
  maxLength: 60,
});

test('a bucket that schedules bulks hands a cost on at the instant from which one that answers checks allows it', () => {
  fc.assert(
    fc.property(refills, fc.integer({ min: 1, max: 30 }), steps, (refillPerSecond, capacity, list) => {
      const rule = tokenBucket({ capacity, refillPerSecond });
      const rate = { refillPerSecond, burst: capacity };
      let nowMs = 1_764_504_000_000;
      let scheduled: BulkBucket | undefined;
      let checked: BucketState | undefined;
      for (const { idleMs, cost: any } of list) {
        nowMs += idleMs;
        const cost = 1 + (any % capacity);
        const open = openBucket(scheduled, rate, nowMs);
        const scheduler = new Scheduler(open, rate);
        const dueAtMs = scheduler.dueAtMs(cost);
        expect(rule.fitsAtMs(rule.current(checked, nowMs), nowMs, cost)).toBe(dueAtMs);
        scheduler.take(cost, dueAtMs);
        scheduled = closeBucket({ nowMs: open.nowMs, debtMicros: scheduler.debtMicros }, rate);
        nowMs = dueAtMs;
        checked = rule.take(rule.current(checked, nowMs), nowMs, cost);
      }
    }),
    { numRuns: 1000 },
  );
});
