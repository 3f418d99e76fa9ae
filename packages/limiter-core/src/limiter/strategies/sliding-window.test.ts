import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InvalidArgumentError } from '../../errors.ts';
import { type SlidingState, slidingWindow } from './sliding-window.ts';
import { fixedWindow } from './window.ts';

const start = 1_764_504_000_000;
const windowMs = 1000;
const window = slidingWindow({ limit: 10, windowMs });

function takeAt(stored: SlidingState | undefined, nowMs: number, cost: number): SlidingState {
  return window.take(window.current(stored, nowMs), nowMs, cost);
}

function remainingAt(stored: SlidingState | undefined, nowMs: number): number {
  return window.remaining(window.current(stored, nowMs), nowMs);
}

test('the window before counts by the share of it that still lies in the span, rounded down', () => {
  const state = takeAt(undefined, start + 999, 10);
  expect(remainingAt(state, start + 1000)).toBe(0);
  expect(remainingAt(state, start + 1001)).toBe(1);
  expect(remainingAt(state, start + 1100)).toBe(1);
  expect(remainingAt(state, start + 1500)).toBe(5);
  expect(remainingAt(state, start + 1999)).toBe(10);
  expect(remainingAt(state, start + 2000)).toBe(10);
});

test('a window counts for the next one alone', () => {
  const state = takeAt(undefined, start, 10);
  expect(window.current(state, start + 1500)).toMatchObject({ startMs: start + 1000, used: 0, previous: 10 });
  expect(window.current(state, start + 2500)).toMatchObject({ startMs: start + 2000, used: 0, previous: 0 });
});

test('a clock a little behind does not end the window that has begun, and the one before counts in full', () => {
  const state = takeAt(takeAt(undefined, start, 4), start + 1000, 3);
  expect(window.current(state, start + 999)).toBe(state);
  expect(remainingAt(state, start + 999)).toBe(3);
  expect(remainingAt(state, start + 1)).toBe(3);
  expect(window.fitsAtMs(state, start + 500, 3)).toBe(start + 500);
  expect(window.fitsAtMs(state, start + 500, 4)).toBe(start + 1001);
  expect(remainingAt(state, start - 1)).toBe(10);
  const first = takeAt(undefined, start + 1000, 3);
  const givenBack = window.giveBack(first, start + 1000, 3, first);
  expect(window.fullAtMs(givenBack, start + 999)).toBe(start + 999);
});

test('a state of another length, or of another rule, does not count', () => {
  const state = takeAt(undefined, start, 4);
  const fixed = fixedWindow({ limit: 10, windowMs });
  expect(slidingWindow({ limit: 10, windowMs: 2000 }).current(state, start).used).toBe(0);
  expect(remainingAt(undefined, start)).toBe(10);
  expect(window.remaining(window.current(fixed.take(fixed.current(undefined, start), start, 3), start), start)).toBe(
    10,
  );
});

test('a cost returns to its own window, also when that has become the one before, and never more than is counted', () => {
  const state = takeAt(undefined, start, 4);
  const more = takeAt(state, start, 3);
  expect(window.giveBack(more, start, 4, state)).toEqual({ ...more, used: 3 });
  const next = takeAt(more, start + 1000, 1);
  expect(window.giveBack(next, start + 1000, 4, state)).toEqual({ ...next, previous: 3 });
  const later = window.current(next, start + 2000);
  expect(window.giveBack(later, start + 2000, 4, state)).toBe(later);
  const less = takeAt(undefined, start, 3);
  expect(window.giveBack(less, start, 4, state)).toBe(less);
  const lessBefore = takeAt(less, start + 1000, 5);
  expect(window.giveBack(lessBefore, start + 1000, 4, state)).toBe(lessBefore);
  const long = slidingWindow({ limit: 10, windowMs: 2 * windowMs });
  expect(window.giveBack(more, start, 4, long.take(long.current(undefined, start), start, 4))).toBe(more);
});

const lived = fc
  .record({
    limit: fc.integer({ min: 1, max: 40 }),
    windowMs: fc.integer({ min: 1, max: 60 }),
    used: fc.integer({ min: 0, max: 50 }),
    previous: fc.integer({ min: 0, max: 50 }),
    intoMs: fc.nat({ max: 59 }),
    cost: fc.nat(),
  })
  .map(({ limit, windowMs: lengthMs, used, previous, intoMs, cost }) => {
    const rule = slidingWindow({ limit, windowMs: lengthMs });
    const startMs = lengthMs * 1000;
    const state: SlidingState = { kind: 'sliding', startMs, windowMs: lengthMs, used, previous };
    return { rule, state, nowMs: startMs + (intoMs % lengthMs), cost: 1 + (cost % limit) };
  });

test('a cost fits from the instant that is told on, and not a millisecond before', () => {
  fc.assert(
    fc.property(lived, ({ rule, state, nowMs, cost }) => {
      const fitsAt = (ms: number): boolean => rule.remaining(rule.current(state, ms), ms) >= cost;
      const fitsAtMs = rule.fitsAtMs(state, nowMs, cost);
      expect(fitsAtMs).toBeGreaterThanOrEqual(nowMs);
      for (let ms = nowMs; ms < fitsAtMs; ms++) expect(fitsAt(ms)).toBe(false);
      for (let ms = fitsAtMs; ms < fitsAtMs + 2 * state.windowMs; ms++) expect(fitsAt(ms)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test('it is full from the instant that is told on, and not a millisecond before', () => {
  fc.assert(
    fc.property(lived, ({ rule, state, nowMs }) => {
      const fullAtMs = rule.fullAtMs(state, nowMs);
      const isFull = (ms: number): boolean => rule.remaining(rule.current(state, ms), ms) === rule.limit;
      expect(fullAtMs).toBeGreaterThanOrEqual(nowMs);
      expect(isFull(fullAtMs)).toBe(true);
      if (fullAtMs > nowMs) expect(isFull(fullAtMs - 1)).toBe(false);
    }),
    { numRuns: 1000 },
  );
});

test('the largest numbers are exact', () => {
  const limit = 9_007_198;
  const rule = slidingWindow({ limit, windowMs: 999_999_999 });
  const state: SlidingState = {
    kind: 'sliding',
    startMs: 999_999_999,
    windowMs: 999_999_999,
    used: 0,
    previous: limit,
  };
  for (const intoMs of [0, 1, 111, 112, 500_000_000, 999_999_997, 999_999_998]) {
    const weighed = (BigInt(limit) * BigInt(999_999_999 - intoMs)) / 999_999_999n;
    expect(rule.remaining(state, 999_999_999 + intoMs)).toBe(limit - Number(weighed));
  }
});

test.each([
  ['limit', { limit: 0, windowMs: 1000 }],
  ['limit', { limit: 1.5, windowMs: 1000 }],
  ['windowMs', { limit: 1, windowMs: 0 }],
  ['windowMs', { limit: 1, windowMs: '1000' }],
  ['limit · windowMs', { limit: 9_007_200, windowMs: 1_000_000_000 }],
  ['limit · windowMs', { limit: 9_007_199, windowMs: 999_999_999 }],
])('a wrong %s is told by its name: %j', (field, options) => {
  expect(() => slidingWindow(options as never)).toThrow(InvalidArgumentError);
  expect(() => slidingWindow(options as never)).toThrow(new RegExp(`^${field} must`));
});
