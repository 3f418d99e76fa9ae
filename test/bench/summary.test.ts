import { expect, test } from 'vitest';
import type { Measured } from './rounds.ts';
import { type Line, median, missedBounds, summarise } from './summary.ts';
import { toTable } from './table.ts';

const settle: Measured = {
  name: 'settle',
  width: 4,
  reservations: 4000,
  tally: { calls: 16, readUnits: 48, writeUnits: 128, failedConditions: 2 },
  rates: [1000, 3000, 9000],
};
const baseline: Measured = { ...settle, name: 'baseline', rates: [10, 10, 100] };
const bounds = { minRatio: 100, maxCallsPer1000: 25, maxWriteUnitsPer1000: 60 };

test('counts are told per 1,000 reservations, and rates are compared within their own round', () => {
  expect(summarise([settle, baseline], 'baseline')[0]).toEqual({
    name: 'settle',
    width: 4,
    reservations: 4000,
    callsPer1000: 4,
    writeUnitsPer1000: 32,
    readUnitsPer1000: 12,
    failedConditionsPer1000: 0.5,
    ratePerSecond: 3000,
    ratio: { median: 100, min: 90, max: 300 },
  });
});

test('a baseline that did not run is an error, not a ratio', () => {
  expect(() => summarise([settle], 'baseline')).toThrow('no contender baseline');
});

test.each([
  { change: {}, misses: [] },
  { change: { ratio: { median: 99.9, min: 90, max: 300 } }, misses: ['99.9 times the baseline'] },
  { change: { ratio: { median: Number.NaN, min: 90, max: 300 } }, misses: ['NaN times the baseline'] },
  { change: { callsPer1000: 25.1 }, misses: ['25.1 calls'] },
  { change: { callsPer1000: 40, writeUnitsPer1000: 60.5 }, misses: ['40.0 calls', '60.5 write units'] },
])('bounds that are missed are named: $misses', ({ change, misses }) => {
  const line: Line = { ...mainLine(), ...change };
  expect(missedBounds(line, bounds)).toEqual(misses.map((miss) => expect.stringContaining(miss)));
});

test.each([
  { values: [3, 1, 2], middle: 2 },
  { values: [4, 1, 3, 2], middle: 2.5 },
  { values: [7], middle: 7 },
])('the median of $values is $middle', ({ values, middle }) => {
  expect(median(values)).toBe(middle);
});

test('the table has a row for each line, all of the same width', () => {
  const rows = toTable(summarise([settle, baseline], 'baseline')).split('\n');
  expect(rows).toHaveLength(4);
  expect(new Set(rows.map((row) => row.length)).size).toBe(1);
  expect(rows[2]).toContain('100.0× (90.0–300.0)');
});

function mainLine(): Line {
  const [line] = summarise([settle, baseline], 'baseline');
  if (line === undefined) throw new Error('there is no line');
  return line;
}
