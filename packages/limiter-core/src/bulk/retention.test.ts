import { expect, test } from 'vitest';
import { isWindowClosed, isWindowKept, retention } from './retention.ts';

const [hourMs, dayMs] = [3_600_000, 86_400_000];
/** The longest from the first instant of a date in UTC to the end of that day in the zone furthest west. */
const localDayMs = 36 * hourMs;

test('each kind outlives what may still ask for it', () => {
  expect(retention.outcomeMs).toBeGreaterThan(retention.unsettledMs);
  expect(retention.headerMs).toBeGreaterThanOrEqual(retention.unsettledMs + retention.outcomeMs);
  expect(retention.windowMs).toBeGreaterThan(localDayMs + retention.unsettledMs + dayMs);
  expect(retention.windowMs).toBeGreaterThanOrEqual(localDayMs + retention.windowDays * dayMs);
});

test('a window is closed once its day is over in every zone, and kept for 32 days', () => {
  const start = Date.parse('2026-11-29');
  expect(isWindowClosed('2026-11-29', start + localDayMs + 12 * hourMs)).toBe(false);
  expect(isWindowClosed('2026-11-29', start + localDayMs + 12 * hourMs + 1)).toBe(true);
  expect(isWindowKept('2026-11-29', start + 32 * dayMs)).toBe(true);
  expect(isWindowKept('2026-11-29', start + 32 * dayMs + 1)).toBe(false);
});
