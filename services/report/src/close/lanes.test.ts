import { expect, test } from 'vitest';
import { inLanes } from './lanes.ts';

test('each is worked on once, at most so many at a time', async () => {
  let under = 0;
  let most = 0;
  const done: number[] = [];
  await inLanes([1, 2, 3, 4, 5, 6, 7], 3, async (one) => {
    most = Math.max(most, ++under);
    await Promise.resolve();
    under--;
    done.push(one);
  });
  expect(done.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(most).toBe(3);
});

test('after a failure nothing more is begun, what is under way ends, and the failure is told', async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const work = inLanes([1, 2, 3, 4, 5], 2, async (one) => {
    begun.push(one);
    await Promise.resolve();
    if (one === 1) throw new Error('no room');
    ended.push(one);
  });
  await expect(work).rejects.toThrow('no room');
  expect(begun.length).toBeLessThan(5);
  expect(ended).toEqual(begun.filter((one) => one !== 1));
});
