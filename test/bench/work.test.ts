import { expect, test } from 'vitest';
import { inParallel } from './in-parallel.ts';
import { inBatches, makeWork, sizeOf } from './work.ts';

test('work has its own accounts, ids of sixteen characters that differ, and a limit below what is asked for', () => {
  const { accounts, limit } = makeWork('r1', 3, 200);
  expect(limit).toBe(190);
  expect(new Set(accounts.map(({ accountId }) => accountId)).size).toBe(3);
  for (const { reservationIds } of accounts) {
    expect(new Set(reservationIds).size).toBe(200);
    expect(reservationIds.every((id) => id.length === 16)).toBe(true);
  }
});

test('independent callers ask for every account in turn', () => {
  const work = makeWork('r1', 2, 2);
  const [a, b] = work.accounts.map(({ accountId }) => accountId);
  expect(inBatches(work, 1).map(({ accountId }) => accountId)).toEqual([a, b, a, b]);
  expect(sizeOf(work)).toBe(4);
});

test('batches hold every reservation once, the last of an account fewer', () => {
  const batches = inBatches(makeWork('r1', 2, 7), 3);
  expect(batches.map(({ reservations }) => reservations)).toEqual([3, 3, 3, 3, 1, 1]);
});

test('every item is taken once, with no more in flight than asked for', async () => {
  const taken: number[] = [];
  let inFlight = 0;
  let most = 0;
  await inParallel([1, 2, 3, 4, 5], 2, async (item) => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    taken.push(item);
    await Promise.resolve();
    inFlight -= 1;
  });
  expect(taken).toEqual([1, 2, 3, 4, 5]);
  expect(most).toBe(2);
});

test('a failing task fails the whole', async () => {
  await expect(inParallel([1, 2], 2, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});
