import { expect, test } from 'vitest';
import { jitteredMs } from './backoff.ts';

test('a pause lies between 0 and a bound that doubles until its cap', () => {
  const almostOne = (): number => 0.999999;
  expect([1, 2, 3, 6, 7, 60].map((attempt) => jitteredMs(attempt, almostOne))).toEqual([19, 39, 79, 639, 999, 999]);
  expect(jitteredMs(5, () => 0)).toBe(0);
  expect(jitteredMs(2, () => 0.5, 100, 150)).toBe(75);
});
