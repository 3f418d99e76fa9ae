import { expect, test } from 'vitest';
import { withinDeadline } from './deadline.ts';
import type { Delay } from './delay.ts';
import { createLimiter } from './limiter.ts';
import { memory } from './memory-store.ts';
import { fixedWindow } from './strategies/window.ts';
import { timerOf } from './timer.ts';

const overAtOnce: Delay = async () => {};
const fails: Delay = () => Promise.reject(new Error('no timers'));
const throws: Delay = () => {
  throw new Error('no timers');
};

test.each([
  ['is over at once', overAtOnce],
  ['fails', fails],
  ['throws', throws],
])('an answer that is there counts, although the pause %s', async (_name, delay) => {
  const options = { deadlineMs: 100, timer: timerOf(delay) };
  expect(await withinDeadline(async () => 5, options)).toBe(5);
  const failed = new Error('it failed');
  await expect(withinDeadline(() => Promise.reject(failed), options)).rejects.toBe(failed);
});

test('so does that of a store which answers within a turn, where pauses only turn a clock', async () => {
  const inner = memory();
  const store = {
    take: inner.take.bind(inner),
    peek: inner.peek.bind(inner),
    charge: inner.charge.bind(inner),
    giveBack: inner.giveBack.bind(inner),
    block: inner.block.bind(inner),
    delete: inner.delete.bind(inner),
  };
  const strategy = fixedWindow({ limit: 10, windowMs: 1000 });
  const limiter = createLimiter({ strategy, store, delay: overAtOnce, clock: () => 0 });
  expect(await limiter.check('key')).toMatchObject({ remaining: 9, degraded: false });
  expect(await limiter.peek('key')).toMatchObject({ remaining: 9, degraded: false });
  expect(await limiter.charge('key')).toMatchObject({ remaining: 8, degraded: false });
});
