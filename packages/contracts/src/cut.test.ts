import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutBy, cutPattern, cutText, rowCountsOf, rowsInCut } from './cut.ts';

test('a cut is kept as runs of equal chunks', () => {
  expect(cutText([...new Array(9).fill(100), 37])).toBe('100x9,37');
  expect(cutText([1])).toBe('1');
  expect(cutText([50, 49, 49])).toBe('50,49x2');
});

test('a cut comes back from its text, and rows are cut by it again', () => {
  const counts = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 120 });
  fc.assert(
    fc.property(counts, (rowCounts) => {
      const cut = cutText(rowCounts);
      expect(cut).toMatch(cutPattern);
      expect(rowCountsOf(cut)).toEqual(rowCounts);
      const rows = Array.from({ length: rowsInCut(cut) }, (_, row) => row);
      const slices = cutBy(rows, cut);
      expect(slices.map(({ length }) => length)).toEqual(rowCounts);
      expect(slices.flat()).toEqual(rows);
    }),
  );
});

test.each(['', '0', '100x0', '100x', 'x9', '100x9,', '01', '1x2x3', '100 x9', '100000'])('%j is no cut', (text) => {
  expect(text).not.toMatch(cutPattern);
});
