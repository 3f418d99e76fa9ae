import { expect, test } from 'vitest';
import { newLatencies } from './latencies.ts';

test('a decision takes as long as the operation that it was part of', () => {
  const latencies = newLatencies();
  for (let ms = 1; ms <= 99; ms++) latencies.add(ms, 1);
  expect([latencies.quantile(0.5), latencies.quantile(0.99)]).toEqual([50, 99]);
  const batch = newLatencies();
  batch.add(200, 901);
  latencies.addAll(batch);
  expect([latencies.quantile(0.05), latencies.quantile(0.5)]).toEqual([50, 200]);
});

test('of nothing there is no latency', () => {
  expect(newLatencies().quantile(0.5)).toBeNaN();
});
