import { expect, test } from 'vitest';
import { Sample } from './latency.ts';

function sampleOf(...values: number[]): Sample {
  const sample = new Sample();
  for (const value of values) sample.add(value);
  return sample;
}

test.each([
  [[7], 7, 7],
  [[1, 2], 1, 2],
  [[4, 1, 3, 2], 2, 4],
  [Array.from({ length: 20 }, (_, i) => 20 - i), 10, 19],
  [Array.from({ length: 21 }, (_, i) => i + 1), 11, 20],
  [Array.from({ length: 1000 }, (_, i) => i + 1), 500, 950],
])('of %j the median is %i and the 95th percentile %i, by nearest rank', (values, p50Ms, p95Ms) => {
  expect(sampleOf(...values).latency()).toEqual({ chunks: values.length, p50Ms, p95Ms });
});

test('nothing has no latency', () => {
  expect(new Sample().latency()).toBeNull();
});

test('a decision before its acceptance, by clocks that differ, took no time', () => {
  expect(sampleOf(-5).latency()).toEqual({ chunks: 1, p50Ms: 0, p95Ms: 0 });
});

test('samples together are one', () => {
  const all = sampleOf(1, 2);
  all.addAll(sampleOf(...Array.from({ length: 98 }, (_, i) => i + 3)));
  expect(all.latency()).toEqual({ chunks: 100, p50Ms: 50, p95Ms: 95 });
});
