import fc from 'fast-check';
import { expect, test } from 'vitest';
import { maxTicksPerMs, tickRateOf } from './tick-rate.ts';

/** The exact value of a double, as a fraction. */
function fractionOf(value: number): readonly [bigint, bigint] {
  let [numerator, denominator] = [value, 1n];
  while (!Number.isInteger(numerator)) {
    numerator *= 2;
    denominator *= 2n;
  }
  return [BigInt(numerator), denominator];
}

const ratePerSecond = fc.oneof(
  fc.double({ min: 1e-6, max: 1_000_000, noNaN: true, minExcluded: false }),
  fc.double({ min: 1, max: 2000, noNaN: true }),
);

test('a rate is never above the one that was asked for, but for what a double cannot tell', () => {
  fc.assert(
    fc.property(ratePerSecond, (perSecond) => {
      const { ticksPerMs, ticksPerCost } = tickRateOf(perSecond / 1000);
      const [numerator, denominator] = fractionOf(perSecond / 1000);
      // ticksPerMs / ticksPerCost ≤ rate · (1 + 10^-12)
      const made = BigInt(ticksPerMs) * denominator * 10n ** 12n;
      expect(made).toBeLessThanOrEqual(numerator * BigInt(ticksPerCost) * (10n ** 12n + 1n));
    }),
    { numRuns: 2000 },
  );
});

test('it is at most two thousandths below', () => {
  fc.assert(
    fc.property(ratePerSecond, (perSecond) => {
      const { ticksPerMs, ticksPerCost } = tickRateOf(perSecond / 1000);
      expect((ticksPerMs / ticksPerCost) * 1000).toBeGreaterThanOrEqual(perSecond * 0.998);
      expect(ticksPerMs).toBeLessThanOrEqual(maxTicksPerMs);
    }),
    { numRuns: 2000 },
  );
});

/** The rates whose ratio is promised to be exact. */
const exactPerSecond = fc.oneof(
  fc.integer({ min: 1, max: 1000 }),
  fc.integer({ min: 1, max: 1000 }).map((thousands) => thousands * 1000),
);

test('whole rates up to 1,000 a second, and whole thousands, are exact', () => {
  fc.assert(
    fc.property(exactPerSecond, (perSecond) => {
      const { ticksPerMs, ticksPerCost } = tickRateOf(perSecond / 1000);
      expect(ticksPerMs * 1000).toBe(perSecond * ticksPerCost);
    }),
    { numRuns: 1000 },
  );
});

test('so is a limit in any whole number of milliseconds, up to 1,000', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 1_000_000_000 }), (limit, periodMs) => {
      const { ticksPerMs, ticksPerCost } = tickRateOf(limit / periodMs);
      expect(BigInt(ticksPerMs) * BigInt(periodMs)).toBe(BigInt(limit) * BigInt(ticksPerCost));
    }),
    { numRuns: 1000 },
  );
});

test.each([
  [5, 1, 200],
  [0.1, 1, 10_000],
  [0.3, 3, 10_000],
  [1000, 1, 1],
  [1_000_000, 1000, 1],
  [1 / 3, 1, 3000],
])('%d a second has %d ticks a millisecond and %d a unit of cost', (perSecond, ticksPerMs, ticksPerCost) => {
  expect(tickRateOf(perSecond / 1000)).toEqual({ ticksPerMs, ticksPerCost });
});
