import { expect, test } from 'vitest';
import type { Contender } from './contender.ts';
import { newLatencies } from './latencies.ts';
import type { Measured } from './rounds.ts';
import { type Line, median, missedBounds, summarise } from './summary.ts';
import { toTable } from './table.ts';

const contender: Contender = {
  key: 'ours',
  name: 'Usher check',
  algorithm: 'token bucket',
  endpoint: 'DynamoDB',
  baseline: 'theirs',
  widths: [4],
  run: () => Promise.reject(new Error('it is not run here')),
  close: () => undefined,
};
const latencies = newLatencies();
latencies.add(2, 99);
latencies.add(30, 1);
const ours: Measured = {
  contender,
  width: 4,
  decisions: 4000,
  tally: { calls: 16, reads: 4, readUnits: 48, writeUnits: 128, failedConditions: 2 },
  latencies,
  rates: [1000, 3000, 9000],
  contention: { allowed: 101, limit: 100 },
};
const theirs: Measured = {
  ...ours,
  contender: { ...contender, key: 'theirs', baseline: 'theirs' },
  rates: [10, 10, 100],
  contention: undefined,
};
const bounds = { minRatio: 100, maxCallsPer1000: 25, maxWriteUnitsPer1000: 60, isExact: true } as const;

test('counts are told per 1,000 decisions, and rates are compared within their own round', () => {
  expect(summarise([ours, theirs])[0]).toEqual({
    key: 'ours',
    name: 'Usher check',
    algorithm: 'token bucket',
    endpoint: 'DynamoDB',
    width: 4,
    decisions: 4000,
    ratePerSecond: 3000,
    ratio: { median: 100, min: 90, max: 300, ofFastest: 90 },
    p50Ms: 2,
    p99Ms: 2,
    callsPer1000: 4,
    readsPer1000: 1,
    readUnitsPer1000: 12,
    writeUnitsPer1000: 32,
    overshoot: 1,
  });
});

test('Redis has no units, memory has no calls, and where nobody contends there is no overshoot', () => {
  const lines = (['Redis', 'memory'] as const).map((endpoint) => {
    const one = { ...theirs, contender: { ...theirs.contender, endpoint } };
    return summarise([one])[0];
  });
  expect(lines[0]).toMatchObject({ callsPer1000: 4 });
  expect(lines[0]).not.toHaveProperty('writeUnitsPer1000');
  expect(lines[1]).not.toHaveProperty('callsPer1000');
  expect(lines[1]).not.toHaveProperty('overshoot');
});

test('a baseline that did not run is an error, not a ratio', () => {
  expect(() => summarise([ours])).toThrow('no contender theirs');
});

test.each([
  { change: { overshoot: 0 }, misses: [] },
  { change: {}, misses: ['1 beyond the limit'] },
  { change: { overshoot: -1 }, misses: ['-1 beyond the limit'] },
  {
    change: { overshoot: 0, ratio: { median: 99.9, min: 90, max: 300, ofFastest: 99.8 } },
    misses: ['99.90 times its baseline, 99.80 in the fastest rounds'],
  },
  { change: { overshoot: 0, ratio: { median: 99.9, min: 90, max: 300, ofFastest: 100 } }, misses: [] },
  {
    change: { overshoot: 0, ratio: { median: Number.NaN, min: 90, max: 300, ofFastest: Number.NaN } },
    misses: ['NaN times its baseline'],
  },
  { change: { overshoot: 0, callsPer1000: 25.1 }, misses: ['25.1 calls'] },
  {
    change: { overshoot: 0, callsPer1000: 40, writeUnitsPer1000: 60.5 },
    misses: ['40 calls', '60.5 write units'],
  },
])('bounds that are missed are named: $misses', ({ change, misses }) => {
  const line: Line = { ...mainLine(), ...change };
  expect(missedBounds(line, bounds)).toEqual(misses.map((miss) => expect.stringContaining(miss)));
});

test('a figure that was not measured keeps no bound', () => {
  const { callsPer1000: _, overshoot: __, ...line } = mainLine();
  expect(missedBounds(line, bounds)).toEqual([
    expect.stringContaining('NaN calls'),
    expect.stringContaining('undefined beyond the limit'),
  ]);
});

test.each([
  { values: [3, 1, 2], middle: 2 },
  { values: [4, 1, 3, 2], middle: 2.5 },
  { values: [7], middle: 7 },
])('the median of $values is $middle', ({ values, middle }) => {
  expect(median(values)).toBe(middle);
});

test('the table has a row for each line, all of the same width, and a dash for what was not measured', () => {
  const counted: Line = { key: 'counted', name: 'counted', algorithm: 'token bucket', endpoint: 'DynamoDB' };
  const rows = toTable([...summarise([ours, theirs]), counted]).split('\n');
  expect(rows).toHaveLength(5);
  expect(new Set(rows.map((row) => row.length)).size).toBe(1);
  expect(rows[2]).toContain('100.0× (90.0–300.0)');
  expect(rows[4]).toMatch(/^\| counted .*(\| +– )+\|$/);
});

function mainLine(): Line {
  const [line] = summarise([ours, theirs]);
  if (line === undefined) throw new Error('there is no line');
  return line;
}
