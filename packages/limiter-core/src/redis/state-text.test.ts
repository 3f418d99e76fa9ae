import { expect, test } from 'vitest';
import type { State } from '../limiter/strategies/strategy.ts';
import { digitsOf, parseState, stateText } from './state-text.ts';

const states: readonly (readonly [string, State])[] = [
  [
    'b 1700000000200 1700000000000 5 1 200',
    { kind: 'bucket', tat: 1_700_000_000_200, sinceMs: 1_700_000_000_000, given: 5, ticksPerMs: 1, ticksPerCost: 200 },
  ],
  ['w -1000 0 7', { kind: 'window', startMs: -1000, endMs: 0, used: 7 }],
  ['s 1000 1000 3 4', { kind: 'sliding', startMs: 1000, windowMs: 1000, used: 3, previous: 4 }],
];

test.each(states)('%s is read as it was written', (text, state) => {
  expect(stateText(state)).toBe(text);
  expect(parseState(text)).toEqual(state);
});

test.each([
  '',
  'b',
  'b 1 2 3 4',
  'w 1 2 3 4',
  's 1 2 3',
  'x 1 2 3',
  'w 1 2 3.5',
  'w 1 2 -3',
  'b 1 2 3 0 5',
  'b 1 2 3 4 0',
  'w 1 2 1e3',
  'w 1  2 3',
  'w 1 2 3 ',
  ' w 1 2 3',
])('%j is no state', (text) => {
  expect(parseState(text)).toBeUndefined();
});

test('a number has all its digits, however large', () => {
  expect(digitsOf(1e21)).toBe('1000000000000000000000');
  expect(Number(digitsOf(123_456_789 * 2 ** 80))).toBe(123_456_789 * 2 ** 80);
  expect(digitsOf(-5)).toBe('-5');
});
