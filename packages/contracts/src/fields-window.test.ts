import { expect, test } from 'vitest';
import { Window } from './fields.ts';

const window = { date: '2026-11-29', startsAt: '2026-11-29T00:00:00.000Z', resetsAt: '2026-11-30T00:00:00.000Z' };

test.each([
  ['UTC', true],
  ['Europe/Berlin', true],
  ['Nowhere/UTC', false],
  ['c4n4ryUTC', false],
])('a window in zone %s is one: %s', (timezone, expected) => {
  expect(Window.allows({ ...window, timezone })).toBe(expected);
});
