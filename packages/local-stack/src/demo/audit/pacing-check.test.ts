import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Due, keepsPace } from './pacing-check.ts';

const rate = { burst: 20, refillPerSecond: 10 };

/** Promise 6 word for word, over every interval that starts and ends at a row. */
function keepsPaceByForce(rows: readonly Due[], { burst, refillPerSecond }: typeof rate): boolean {
  const largest = Math.max(burst, ...rows.map(({ cost }) => cost));
  return rows.every((from) =>
    rows.every((to) => {
      const inside = rows.filter(({ atMs }) => atMs >= from.atMs && atMs <= to.atMs);
      const cost = inside.reduce((sum, row) => sum + row.cost, 0);
      // Times a thousand, so that all is in whole numbers.
      return to.atMs < from.atMs || cost * 1000 <= largest * 1000 + refillPerSecond * (to.atMs - from.atMs);
    }),
  );
}

describe('the pacing check', () => {
  test.each([
    ['nothing at all', [], true],
    ['the whole burst at once', [[0, 20]], true],
    ['the whole burst in rows', Array.from({ length: 20 }, () => [0, 1]), true],
    [
      'one unit above the burst at once',
      [
        [0, 20],
        [0, 1],
      ],
      false,
    ],
    [
      'a unit as soon as it is refilled',
      [
        [0, 20],
        [100, 1],
      ],
      true,
    ],
    [
      'a unit a millisecond early',
      [
        [0, 20],
        [99, 1],
      ],
      false,
    ],
    ['one row above the burst', [[0, 50]], true],
    [
      'a second row before its time, where one is above the burst',
      [
        [0, 50],
        [99, 1],
      ],
      false,
    ],
    [
      'a pause, the burst again',
      [
        [0, 20],
        [2000, 20],
      ],
      true,
    ],
    [
      'too much after a quiet time',
      [
        [0, 1],
        [60_000, 21],
        [60_000, 1],
      ],
      false,
    ],
    [
      'rows out of order',
      [
        [100, 1],
        [0, 20],
      ],
      true,
    ],
    [
      'epoch milliseconds',
      [
        [1_764_374_400_000, 20],
        [1_764_374_400_100, 1],
      ],
      true,
    ],
  ])('judges %s', (_, rows, expected) => {
    expect(
      keepsPace(
        rows.map(([atMs = 0, cost = 0]) => ({ atMs, cost })),
        rate,
      ),
    ).toBe(expected);
  });

  test('agrees with a check of every interval', () => {
    const rows = fc.array(fc.record({ atMs: fc.nat(3000), cost: fc.integer({ min: 1, max: 30 }) }), { maxLength: 12 });
    const rates = fc.record({
      burst: fc.integer({ min: 1, max: 40 }),
      refillPerSecond: fc.integer({ min: 1, max: 60 }),
    });
    let kept = 0;
    fc.assert(
      fc.property(rows, rates, (list, own) => {
        const expected = keepsPaceByForce(list, own);
        if (expected && list.length > 2) kept += 1;
        expect(keepsPace(list, own)).toBe(expected);
      }),
      { numRuns: 1000, seed: 20261129 },
    );
    // Both answers must have been met, or the property says little.
    expect(kept).toBeGreaterThan(20);
    expect(kept).toBeLessThan(900);
  });
});
