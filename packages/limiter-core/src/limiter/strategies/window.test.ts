import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InvalidArgumentError } from '../../errors.ts';
import { tokenBucket } from './bucket.ts';
import { calendarWindow, fixedWindow, maxWindowMs, type WindowState } from './window.ts';

const start = 1_764_504_000_000;
const windowMs = 1000;
const window = fixedWindow({ limit: 10, windowMs });

function takeAt(stored: WindowState | undefined, nowMs: number, cost: number): WindowState {
  return window.take(window.current(stored, nowMs), nowMs, cost);
}

test('windows are aligned to the epoch', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: maxWindowMs }), fc.integer({ min: 0, max: 4e12 }), (lengthMs, nowMs) => {
      const { startMs, endMs } = fixedWindow({ limit: 1, windowMs: lengthMs }).spanAt(nowMs);
      expect(startMs % lengthMs).toBe(0);
      expect(endMs - startMs).toBe(lengthMs);
      expect(nowMs >= startMs && nowMs < endMs).toBe(true);
    }),
  );
});

test('the window that runs keeps its count, and a window that is over does not count', () => {
  const state = takeAt(undefined, start + 400, 4);
  expect(state).toEqual({ kind: 'window', startMs: start, endMs: start + windowMs, used: 4 });
  expect(window.current(state, start + 999)).toBe(state);
  expect(window.current(state, start + 1000)).toEqual({
    ...state,
    startMs: start + 1000,
    endMs: start + 2000,
    used: 0,
  });
});

test('a clock a little behind does not end the window that has begun; one behind by a whole window does', () => {
  const state = takeAt(undefined, start + 1000, 4);
  expect(window.current(state, start + 999)).toBe(state);
  expect(window.current(state, start)).toBe(state);
  expect(window.current(state, start - 1).used).toBe(0);
});

test('a state of another length, or of another rule, does not count', () => {
  const state = takeAt(undefined, start, 4);
  const bucket = tokenBucket({ capacity: 10, refillPerSecond: 5 });
  const long = fixedWindow({ limit: 10, windowMs: 2000 });
  expect(long.current(state, start).used).toBe(0);
  // Both end at the same instant.
  const longState = long.take(long.current(undefined, start), start, 4);
  expect(window.current(longState, start + 1500).used).toBe(0);
  expect(window.current(bucket.take(bucket.current(undefined, start), start, 1), start).used).toBe(0);
});

test('as much is left as the limit is above the count, also below zero', () => {
  const state = takeAt(undefined, start, 12);
  expect(window.remaining(state, start)).toBe(-2);
  expect(fixedWindow({ limit: 20, windowMs }).remaining(state, start)).toBe(8);
});

test('a cost fits now or at the next window', () => {
  const state = takeAt(undefined, start, 7);
  expect(window.fitsAtMs(state, start + 5, 3)).toBe(start + 5);
  expect(window.fitsAtMs(state, start + 5, 4)).toBe(start + windowMs);
  expect(window.fullAtMs(state, start + 5)).toBe(start + windowMs);
});

test('a cost returns to its own window, and never more than is counted', () => {
  const state = takeAt(undefined, start, 4);
  const more = takeAt(state, start, 3);
  expect(window.giveBack(more, start, 4, state)).toEqual({ ...more, used: 3 });
  const next = window.current(more, start + windowMs);
  const other = takeAt(undefined, start, 3);
  expect(window.giveBack(next, start + windowMs, 4, state)).toBe(next);
  expect(window.giveBack(other, start, 4, state)).toBe(other);
  const long = fixedWindow({ limit: 10, windowMs: 2 * windowMs });
  const longState = long.take(long.current(undefined, start), start, 4);
  expect(window.giveBack(more, start, 4, longState)).toBe(more);
});

test('equal windows have equal ids, and others have not', () => {
  const ids = [
    fixedWindow({ limit: 1, windowMs: 86_400_000 }),
    fixedWindow({ limit: 2, windowMs: 86_400_000 }),
    calendarWindow({ limit: 1, unit: 'day' }),
    calendarWindow({ limit: 1, unit: 'week' }),
    calendarWindow({ limit: 1, unit: 'day', timezone: 'Europe/Berlin' }),
  ].map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(calendarWindow({ limit: 1, unit: 'day', timezone: 'UTC' }).id).toBe(ids[2]);
});

test.each([
  ['limit', { limit: 0, windowMs: 1 }],
  ['limit', { limit: 2.5, windowMs: 1 }],
  ['limit', { limit: '5', windowMs: 1 }],
  ['windowMs', { limit: 1, windowMs: 0 }],
  ['windowMs', { limit: 1, windowMs: Number.POSITIVE_INFINITY }],
  ['windowMs', { limit: 1, windowMs: maxWindowMs + 1 }],
  ['windowMs', { limit: 1 }],
])('a wrong %s is told by its name: %j', (field, options) => {
  expect(() => fixedWindow(options as never)).toThrow(InvalidArgumentError);
  expect(() => fixedWindow(options as never)).toThrow(new RegExp(`^${field} must`));
});

test.each([
  ['limit', { limit: Number.NaN, unit: 'day' }],
  ['unit', { limit: 1, unit: 'hour' }],
  ['unit', { limit: 1, unit: '__proto__' }],
  ['unit', { limit: 1 }],
  ['timezone', { limit: 1, unit: 'day', timezone: 'Europe/Nowhere' }],
  ['timezone', { limit: 1, unit: 'day', timezone: '' }],
  ['timezone', { limit: 1, unit: 'day', timezone: 5 }],
])('a wrong %s of a calendar is told by its name: %j', (field, options) => {
  expect(() => calendarWindow(options as never)).toThrow(InvalidArgumentError);
  expect(() => calendarWindow(options as never)).toThrow(new RegExp(`^${field} must`));
});
