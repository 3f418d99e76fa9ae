import { InvalidArgumentError } from '../../errors.ts';
import { assertWhole } from './assert.ts';
import { type CalendarUnit, calendar } from './calendar.ts';
import type { Rule } from './strategy.ts';

/** A span of time: from its first instant to the one just after its last, milliseconds since the Unix epoch. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

/** A window's state: what was taken in it. */
export interface WindowState extends Span {
  readonly kind: 'window';
  /** A whole number ≥ 0. */
  readonly used: number;
}

/** A limit that starts anew with each window: all of fixed length, or those of a calendar. */
export interface CountedWindow extends Rule<WindowState> {
  readonly kind: 'window';
  /** The window's length, where all have the same one; a calendar's have not. */
  readonly fixedMs?: number;
  /** The window that an instant lies in. */
  spanAt(nowMs: number): Span;
}

/** The longest window: 31 years in milliseconds. */
export const maxWindowMs = 1_000_000_000_000;

/**
 * A count that starts anew every `windowMs`. Windows are aligned to the Unix epoch, not to a key's first check: up to twice
 * the limit may be allowed around the turn of a window.
 *
 * @example
 * ```ts
 * const clock = virtualClock('2026-03-10T12:00:59Z');
 * const limiter = createLimiter({ strategy: fixedWindow({ limit: 5, windowMs: 60_000 }), clock });
 * (await limiter.check('ada', 5)).remaining; // 0
 * (await limiter.check('ada')).retryAfterMs; // 1000
 * ```
 *
 * @throws InvalidArgumentError for a limit or a window that is no whole number ≥ 1
 */
export function fixedWindow(options: { readonly limit: number; readonly windowMs: number }): CountedWindow {
  const { limit, windowMs } = options;
  assertWhole('limit', limit);
  assertWindowMs(windowMs);
  let last: Span = { startMs: 0, endMs: windowMs };
  const spanAt = (nowMs: number): Span => {
    if (nowMs >= last.startMs && nowMs < last.endMs) return last;
    const startMs = Math.floor(nowMs / windowMs) * windowMs;
    last = { startMs, endMs: startMs + windowMs };
    return last;
  };
  return { ...newWindow(`window ${limit} ${windowMs}`, limit, windowMs, spanAt), fixedMs: windowMs };
}

const unitMs: Record<CalendarUnit, number> = { day: 86_400_000, week: 7 * 86_400_000, month: 31 * 86_400_000 };

/**
 * A count that starts anew with each day, week (from Monday, ISO 8601) or month of a time zone. Days are 23 or 25 hours long
 * where clocks change, and begin at the first instant that exists where midnight does not.
 *
 * @example
 * ```ts
 * const clock = virtualClock('2026-03-10T22:30:00Z');
 * const strategy = calendarWindow({ limit: 5, unit: 'day', timezone: 'Europe/Berlin' });
 * const limiter = createLimiter({ strategy, clock });
 * new Date((await limiter.check('ada')).resetsAt).toISOString(); // '2026-03-10T23:00:00.000Z'
 * ```
 *
 * @param options.timezone an IANA zone name; `UTC` when left out
 * @throws InvalidArgumentError for a limit that is no whole number ≥ 1, an unknown unit or an unknown zone
 */
export function calendarWindow(options: {
  readonly limit: number;
  readonly unit: CalendarUnit;
  readonly timezone?: string;
}): CountedWindow {
  const { limit, unit, timezone = 'UTC' } = options;
  assertWhole('limit', limit);
  if (!Object.hasOwn(unitMs, unit)) {
    throw new InvalidArgumentError(`unit must be day, week or month (was ${String(unit)})`);
  }
  const spanAt = calendar(unit, timezone);
  return newWindow(`calendar ${limit} ${unit} ${timezone}`, limit, unitMs[unit], spanAt);
}

/** @throws InvalidArgumentError for a window that is no whole number of milliseconds from 1 to 31 years */
export function assertWindowMs(windowMs: unknown): void {
  assertWhole('windowMs', windowMs);
  if ((windowMs as number) > maxWindowMs) {
    throw new InvalidArgumentError(`windowMs must be ≤ ${maxWindowMs} (was ${String(windowMs)})`);
  }
}

function newWindow(id: string, limit: number, windowMs: number, spanAt: (nowMs: number) => Span): CountedWindow {
  return {
    kind: 'window',
    id,
    limit,
    windowMs,
    spanAt,
    current(stored, nowMs) {
      const { startMs, endMs } = spanAt(nowMs);
      if (stored?.kind !== 'window') return { kind: 'window', startMs, endMs, used: 0 };
      if (stored.startMs === startMs && stored.endMs === endMs) return stored;
      // The next window has begun by another clock: a clock that is a little behind does not end it.
      return stored.startMs === endMs ? stored : { kind: 'window', startMs, endMs, used: 0 };
    },
    remaining: ({ used }) => limit - used,
    take: ({ kind, startMs, endMs, used }, _nowMs, cost) => ({ kind, startMs, endMs, used: used + cost }),
    giveBack: (current, _nowMs, cost, taken) =>
      taken.kind === 'window' && isSame(current, taken) && current.used >= cost
        ? { ...current, used: current.used - cost }
        : current,
    fitsAtMs: ({ used, endMs }, nowMs, cost) => (used + cost <= limit ? nowMs : endMs),
    fullAtMs: ({ endMs }) => endMs,
  };
}

function isSame(a: Span, b: Span): boolean {
  return a.startMs === b.startMs && a.endMs === b.endMs;
}
