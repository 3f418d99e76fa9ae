import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { untilAborted } from './until-aborted.ts';

const never = new Promise<never>(() => {});

test('an answer comes through, and a failure, and neither leaves a listener behind', async () => {
  const { signal } = new AbortController();
  expect(await untilAborted(Promise.resolve('an answer'), signal)).toBe('an answer');
  await expect(untilAborted(Promise.reject(new Error('a failure')), signal)).rejects.toThrow('a failure');
  await Promise.resolve();
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('an abort ends the wait with its reason, before and during it', async () => {
  const abort = new AbortController();
  const waiting = untilAborted(never, abort.signal);
  abort.abort(new Error('nobody waits'));
  await expect(waiting).rejects.toThrow('nobody waits');
  await expect(untilAborted(never, abort.signal)).rejects.toThrow('nobody waits');
});

test('what fails after an abort disturbs nobody', async () => {
  const abort = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const waiting = untilAborted(promise, abort.signal);
  abort.abort(new Error('nobody waits'));
  await expect(waiting).rejects.toThrow('nobody waits');
  reject(new Error('too late'));
  await expect(promise).rejects.toThrow('too late');
});

test('without a signal it is the answer itself', async () => {
  const answer = Promise.resolve(1);
  expect(untilAborted(answer, undefined)).toBe(answer);
});
