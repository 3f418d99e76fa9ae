import { virtualClock } from '@usher/limiter-core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ReportCloser, scheduleCloser } from './report-closer.ts';

const clock = virtualClock('2026-11-29T12:00:00.000Z');
let closer: ReportCloser;

beforeEach(() => void vi.useFakeTimers());
afterEach(async () => {
  await closer.stop();
  vi.useRealTimers();
});

test('the closer runs once for each quarter of an hour that begins by the clock of the stack', async () => {
  const close = vi.fn(async () => undefined);
  closer = scheduleCloser({ close, clock, onError: () => undefined });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(close).toHaveBeenCalledTimes(0);
  clock.advance(15 * 60_000);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(close).toHaveBeenCalledTimes(1);
  clock.advance(24 * 3_600_000);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(close).toHaveBeenCalledTimes(2);
});

test('two runs never overlap, and one that fails is told and followed by the next', async () => {
  const errors: unknown[] = [];
  const events: string[] = [];
  let fails = true;
  const close = async (): Promise<void> => {
    events.push('begins');
    await Promise.resolve();
    events.push('ends');
    if (fails) throw new Error('no table');
  };
  closer = scheduleCloser({ close, clock, onError: (error) => void errors.push(error) });
  clock.advance(15 * 60_000);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(errors).toEqual([new Error('no table')]);
  fails = false;
  await Promise.all([closer.run(), closer.run()]);
  expect(events).toEqual(['begins', 'ends', 'begins', 'ends', 'begins', 'ends']);
});

test('stopping waits for the run that is under way, and none begins after it', async () => {
  const written = Promise.withResolvers<void>();
  const close = vi.fn(() => written.promise);
  closer = scheduleCloser({ close, clock, onError: () => undefined });
  clock.advance(15 * 60_000);
  await vi.advanceTimersByTimeAsync(1_000);
  let isStopped = false;
  const stopped = closer.stop().then(() => {
    isStopped = true;
  });
  clock.advance(15 * 60_000);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(isStopped).toBe(false);
  written.resolve();
  await stopped;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(close).toHaveBeenCalledTimes(1);
});
