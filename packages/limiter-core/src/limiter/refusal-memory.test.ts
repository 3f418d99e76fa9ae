import { expect, test } from 'vitest';
import { memory } from './memory-store.ts';
import { RefusalMemory } from './refusal-memory.ts';
import type { LimitStore, Limits } from './store.ts';
import { tokenBucket } from './strategies/bucket.ts';
import { counted } from './testing/counted-store.ts';

const startMs = Date.parse('2026-11-30T12:00:00Z');
const bucket = tokenBucket({ capacity: 10, refillPerSecond: 1 });
const options = { refusalCacheMs: 5000, refusalCacheSize: 2 };

const at = (nowMs: number, key = 'acme', strategy = bucket): Limits => ({
  limiter: 'api',
  key,
  policies: [{ name: 'one', strategy }],
  nowMs,
});

/** A memory of refusals over a store whose key has `taken` of 10 taken, and was refused 10. */
async function refused(taken = 10, key = 'acme', inner: LimitStore = memory()) {
  const { store, calls } = counted(inner);
  const remembering = new RefusalMemory(store, options);
  await remembering.take(at(startMs, key), taken);
  expect((await remembering.take(at(startMs, key), 10)).taken).toBe(false);
  calls.length = 0;
  return { store: remembering, calls };
}

test('what a remembered state refuses is refused without a call, until something refills', async () => {
  const { store, calls } = await refused();
  expect((await store.take(at(startMs + 999), 1)).taken).toBe(false);
  expect(calls).toEqual([]);
  expect((await store.take(at(startMs + 1000), 1)).taken).toBe(true);
  expect(calls).toEqual(['take 1']);
});

test('a refused cost of 10 does not refuse a cost of 1 that fits', async () => {
  const { store } = await refused(5);
  expect((await store.take(at(startMs), 1)).taken).toBe(true);
});

test('a refusal is remembered for its time and no longer, and not by a clock that went back', async () => {
  const { store, calls } = await refused();
  await store.take(at(startMs + 4999), 10);
  expect(calls).toEqual([]);
  await store.take(at(startMs - 1), 10);
  expect(calls).toHaveLength(1);
  await store.take(at(startMs + 5000), 10);
  expect(calls).toHaveLength(2);
});

test('other limits of the same key ask anew', async () => {
  const { store, calls } = await refused();
  await store.take(at(startMs, 'acme', tokenBucket({ capacity: 20, refillPerSecond: 1 })), 1);
  expect(calls).toEqual(['take 1']);
});

test.each<[string, (store: LimitStore) => Promise<unknown>]>([
  [
    'a refund',
    (store) => store.giveBack(at(startMs), 1, [bucket.take(bucket.current(undefined, startMs), startMs, 10)]),
  ],
  ['a charge', (store) => store.charge(at(startMs), 1)],
  ['a block', (store) => store.block(at(startMs), startMs + 1)],
  ['a deletion', (store) => store.delete(at(startMs))],
])('%s in this process is followed by a call', async (_, change) => {
  const { store, calls } = await refused();
  await change(store);
  calls.length = 0;
  await store.take(at(startMs), 1);
  expect(calls).toEqual(['take 1']);
});

test('a refusal that a refund overtook is not remembered', async () => {
  const inner = memory();
  await inner.take(at(startMs), 10);
  let answer = (): void => undefined;
  const late = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const slow: LimitStore = {
    take: async (limits, cost) => {
      const taken = await inner.take(limits, cost);
      await late;
      return taken;
    },
    peek: (limits) => inner.peek(limits),
    charge: (limits, cost) => inner.charge(limits, cost),
    giveBack: (...args) => inner.giveBack(...args),
    block: (...args) => inner.block(...args),
    delete: (limits) => inner.delete(limits),
  };
  const store = new RefusalMemory(slow, options);
  const running = store.take(at(startMs), 1);
  await store.delete(at(startMs));
  answer();
  expect((await running).taken).toBe(false);
  expect((await store.take(at(startMs), 1)).taken).toBe(true);
});

test('beyond its size the key that was used least recently is forgotten', async () => {
  const inner = memory();
  for (const key of ['a', 'b', 'c']) await inner.take(at(startMs, key), 10);
  const { store, calls } = counted(inner);
  const remembering = new RefusalMemory(store, options);
  for (const key of ['a', 'b', 'a', 'c']) await remembering.take(at(startMs, key), 1);
  calls.length = 0;
  await remembering.take(at(startMs, 'a'), 1);
  await remembering.take(at(startMs, 'c'), 1);
  expect(calls).toEqual([]);
  await remembering.take(at(startMs, 'b'), 1);
  expect(calls).toHaveLength(1);
});

test('a block is remembered with its instant', async () => {
  const { store, calls } = counted(memory());
  const remembering = new RefusalMemory(store, options);
  await remembering.block(at(startMs), startMs + 2000);
  await remembering.take(at(startMs), 1);
  calls.length = 0;
  expect((await remembering.take(at(startMs + 1999), 1)).blockedUntilMs).toBe(startMs + 2000);
  expect(calls).toEqual([]);
  expect((await remembering.take(at(startMs + 2000), 1)).taken).toBe(true);
});
