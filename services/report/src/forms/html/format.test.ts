import { expect, test } from 'vitest';
import { counted, duration, figure, longDate, percent, shortFigure, weekBeforeName } from './format.ts';

const hour = 3_600_000;

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [9_007_199_254_740_991, '9,007,199,254,740,991'],
])('a figure of %d is %s', (value, text) => expect(figure(value)).toBe(text));

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1k'],
  [1049, '1k'],
  [1050, '1.1k'],
  [9949, '9.9k'],
  [9950, '10k'],
  [12_499, '12k'],
  [999_499, '999k'],
  [999_500, '1M'],
  [1_500_000, '1.5M'],
  [9_007_199_254_740_991, '9P'],
])('a short figure of %d is %s', (value, text) => expect(shortFigure(value)).toBe(text));

test.each([
  [0, '0'],
  [0.0004, '0.0'],
  [0.8421, '84.2'],
  [0.9995, '100'],
  [1, '100'],
  [12.5, '1,250'],
])('a share of %d is %s per cent', (share, text) => expect(percent(share)).toBe(`${text}\u00a0%`));

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1000, '1.0 s'],
  [59_949, '59.9 s'],
  [59_950, '1 min'],
  [185_000, '3 min 5 s'],
  [900_000, '15 min'],
  [hour - 1000, '59 min 59 s'],
  [hour, '1 h'],
  [26 * hour + 240_000, '26 h 4 min'],
])('a duration of %d ms is %s', (ms, text) => expect(duration(ms).replaceAll('\u00a0', ' ')).toBe(text));

test.each([
  ['2026-11-29', 'Sunday 29 November 2026', 'Sunday 22 November'],
  ['2026-01-03', 'Saturday 3 January 2026', 'Saturday 27 December'],
  ['1969-12-31', 'Wednesday 31 December 1969', 'Wednesday 24 December'],
])('%s is %s, a week after %s', (date, long, before) => {
  expect([longDate(date), weekBeforeName(date)]).toEqual([long, before]);
});

test('a count has its noun', () => {
  expect([counted(0, 'account'), counted(1, 'account'), counted(1200, 'account')]).toEqual([
    '0 accounts',
    '1 account',
    '1,200 accounts',
  ]);
});
