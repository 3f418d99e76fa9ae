import { expect, test } from 'vitest';
import { bucketStoreContract } from './bucket-store.contract.ts';
import { MemoryBucketStore } from './memory-bucket-store.ts';

bucketStoreContract('MemoryBucketStore', async () => new MemoryBucketStore());

test('forgetting full buckets when a new one is made forgets no debt', async () => {
  const store = new MemoryBucketStore();
  const rate = { refillPerSecond: 1, burst: 1 };
  const take = async (key: string, nowMs: number): Promise<boolean> =>
    (await store.take({ key, cost: 1, rate, nowMs })).taken;
  expect(await take('a', 0)).toBe(true);
  expect(await take('b', 500)).toBe(true);
  expect(await take('c', 1200)).toBe(true);
  expect(await take('b', 1200)).toBe(false);
  expect(await take('a', 1200)).toBe(true);
});
