import { expect, test } from 'vitest';
import { Leases } from './leases.ts';
import { memory } from './memory-store.ts';
import type { LimitStore, Limits, Seen } from './store.ts';
import { tokenBucket } from './strategies/bucket.ts';
import { fixedWindow } from './strategies/window.ts';
import { counted } from './testing/counted-store.ts';

const startMs = Date.parse('2026-11-30T12:00:00Z');
const bucket = tokenBucket({ capacity: 100, refillPerSecond: 1 });
const lease = { size: 10, maxAgeMs: 5000 };

const at = (nowMs: number, strategy: Limits['policies'][number]['strategy'] = bucket): Limits => ({
  limiter: 'api',
  key: 'acme',
  policies: [{ name: 'one', strategy }],
  nowMs,
});

const takeMany = (store: LimitStore, limits: Limits, n: number) =>
  Promise.all(Array.from({ length: n }, () => store.take(limits, 1)));

function remaining({ policies, nowMs }: Limits, { states: [state] }: Seen): number {
  const [{ strategy } = { strategy: bucket }] = policies;
  return strategy.kind === 'bucket' ? strategy.remaining(strategy.current(state, nowMs), nowMs) : Number.NaN;
}

test('a lease serves as many checks as it has cost for, each told what is left as if it were alone', async () => {
  const { store, calls } = counted(memory());
  const leases = new Leases(store, lease);
  const left: number[] = [];
  for (let i = 0; i < 20; i++) left.push(remaining(at(startMs), await leases.take(at(startMs), 1)));
  expect(calls).toEqual(['take 10', 'take 10']);
  expect(left).toEqual(Array.from({ length: 20 }, (_, i) => 99 - i));
});

test('checks that come together take their sum and one lease, in one call', async () => {
  const { store, calls } = counted(memory());
  const leases = new Leases(store, lease);
  expect((await takeMany(leases, at(startMs), 30)).every(({ taken }) => taken)).toBe(true);
  expect(calls).toEqual(['take 39']);
});

test('the last of a limit is served to the last unit', async () => {
  const leases = new Leases(memory(), lease);
  const answers = await takeMany(leases, at(startMs), 130);
  expect(answers.filter(({ taken }) => taken)).toHaveLength(100);
});

test('leased cost ends by age, by the clock alone', async () => {
  const { store, calls } = counted(memory());
  const leases = new Leases(store, lease);
  await leases.take(at(startMs), 1);
  await leases.take(at(startMs + 4999), 1);
  expect(calls).toHaveLength(1);
  await leases.take(at(startMs + 5000), 1);
  expect(calls).toHaveLength(2);
});

test('leased cost ends with its window', async () => {
  const { store, calls } = counted(memory());
  const leases = new Leases(store, lease);
  const window = fixedWindow({ limit: 100, windowMs: 1000 });
  await leases.take(at(startMs + 990, window), 1);
  await leases.take(at(startMs + 1000, window), 1);
  expect(calls).toEqual(['take 10', 'take 10']);
});

test('a block and a deletion end the lease of this process at once', async () => {
  const leases = new Leases(memory(), lease);
  await leases.take(at(startMs), 1);
  await leases.block(at(startMs), startMs + 1000);
  expect((await leases.take(at(startMs), 1)).taken).toBe(false);
  await leases.delete(at(startMs));
  expect(remaining(at(startMs), await leases.take(at(startMs), 1))).toBe(99);
});

test('a look and a charge count what is left of the lease as free', async () => {
  const leases = new Leases(memory(), lease);
  await leases.take(at(startMs), 1);
  expect(remaining(at(startMs), await leases.peek(at(startMs)))).toBe(99);
  expect(remaining(at(startMs), await leases.charge(at(startMs), 5))).toBe(94);
});

test('a check of more than a lease is asked for by itself', async () => {
  const { store, calls } = counted(memory());
  const leases = new Leases(store, lease);
  await leases.take(at(startMs), 11);
  expect(calls).toEqual(['take 11']);
});

test('plans that take turns use all of the limit', async () => {
  const leases = new Leases(memory(), lease);
  const plans = [fixedWindow({ limit: 100, windowMs: 60_000 }), fixedWindow({ limit: 101, windowMs: 60_000 })];
  const answers: boolean[] = [];
  for (let i = 0; i < 100; i++) answers.push((await leases.take(at(startMs, plans[i % 2]), 1)).taken);
  expect(answers.filter(Boolean).length).toBeGreaterThanOrEqual(100 - lease.size);
});

test('another plan has no part in a lease', async () => {
  const { store, calls } = counted(memory());
  const leases = new Leases(store, lease);
  await leases.take(at(startMs), 1);
  await leases.take(at(startMs, tokenBucket({ capacity: 50, refillPerSecond: 1 })), 1);
  expect(calls).toHaveLength(2);
});
