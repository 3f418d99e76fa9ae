import { expect, test } from 'vitest';
import { virtualClock } from './clock.ts';

test('a virtual clock starts where it is told to and moves only when told to, back as well', () => {
  const clock = virtualClock('2026-11-29T12:00:00.000Z');
  expect(clock()).toBe(Date.UTC(2026, 10, 29, 12));
  clock.advance(500);
  clock.advance(-1500);
  expect(clock()).toBe(Date.UTC(2026, 10, 29, 11, 59, 59));
  clock.set(42);
  expect(clock()).toBe(42);
  expect(virtualClock(7)()).toBe(7);
});
