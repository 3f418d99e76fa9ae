import { InvalidArgumentError } from '../../errors.ts';
import { assertWhole } from './assert.ts';
import type { Rule } from './strategy.ts';
import { assertWindowMs } from './window.ts';

/** A sliding window's state: what was taken in the window that runs, and in the one before it. */
export interface SlidingState {
  readonly kind: 'sliding';
  /** The running window's first instant: milliseconds since the Unix epoch, a multiple of its length. */
  readonly startMs: number;
  readonly windowMs: number;
  /** Taken in the running window: a whole number ≥ 0. */
  readonly used: number;
  /** Taken in the window before: a whole number ≥ 0. */
  readonly previous: number;
}

/** A limit over the last `windowMs`, by two counters. */
export interface SlidingWindow extends Rule<SlidingState> {
  readonly kind: 'sliding';
}

/**
 * A limit over the last `windowMs`, estimated from two counters: the window before counts by the share of it that still
 * lies in the span, rounded down. It assumes that what was taken there was taken evenly.
 *
 * @example
 * ```ts
 * const clock = virtualClock('2026-03-10T12:00:00Z');
 * const limiter = createLimiter({ strategy: slidingWindow({ limit: 10, windowMs: 60_000 }), clock });
 * (await limiter.check('ada', 10)).remaining; // 0
 * clock.advance(90_000);
 * (await limiter.peek('ada')).remaining; // 5
 * ```
 *
 * @throws InvalidArgumentError for a limit or a window that is no whole number ≥ 1, or a product of both above 2^53
 */
export function slidingWindow(options: { readonly limit: number; readonly windowMs: number }): SlidingWindow {
  const { limit, windowMs } = options;
  assertWhole('limit', limit);
  assertWindowMs(windowMs);
  if (!Number.isSafeInteger((limit + 1) * windowMs)) {
    throw new InvalidArgumentError(`limit · windowMs must be below 2^53 (was ${limit} · ${windowMs})`);
  }
  const startOf = (nowMs: number): number => Math.floor(nowMs / windowMs) * windowMs;
  const weighed = ({ startMs, previous }: SlidingState, nowMs: number): number =>
    Math.floor((previous * Math.min(windowMs, startMs + windowMs - nowMs)) / windowMs);
  /** The first instant from a window's start at which what the window before it holds weighs at most `room`. */
  const lightEnoughMs = (startMs: number, previous: number, room: number): number =>
    previous <= room ? startMs : startMs + windowMs - Math.ceil(((room + 1) * windowMs) / previous) + 1;
  return {
    kind: 'sliding',
    id: `sliding ${limit} ${windowMs}`,
    limit,
    windowMs,
    current(stored, nowMs) {
      const startMs = startOf(nowMs);
      if (stored?.kind !== 'sliding' || stored.windowMs !== windowMs) {
        return { kind: 'sliding', startMs, windowMs, used: 0, previous: 0 };
      }
      // The next window may have begun by another clock: a clock that is a little behind does not end it.
      if (stored.startMs === startMs || stored.startMs === startMs + windowMs) return stored;
      const previous = stored.startMs === startMs - windowMs ? stored.used : 0;
      return { kind: 'sliding', startMs, windowMs, used: 0, previous };
    },
    remaining: (current, nowMs) => limit - current.used - weighed(current, nowMs),
    take: ({ startMs, used, previous }, _nowMs, cost) => ({
      kind: 'sliding',
      startMs,
      windowMs,
      used: used + cost,
      previous,
    }),
    giveBack(current, _nowMs, cost, taken) {
      if (taken.kind !== 'sliding' || taken.windowMs !== windowMs) return current;
      const { startMs, used, previous } = current;
      if (taken.startMs === startMs && used >= cost) return { ...current, used: used - cost };
      if (taken.startMs === startMs - windowMs && previous >= cost) return { ...current, previous: previous - cost };
      return current;
    },
    fitsAtMs({ startMs, used, previous }, nowMs, cost) {
      const room = limit - used - cost;
      if (room >= 0) return previous <= room ? nowMs : Math.max(nowMs, lightEnoughMs(startMs, previous, room));
      return lightEnoughMs(startMs + windowMs, used, limit - cost);
    },
    fullAtMs({ startMs, used, previous }, nowMs) {
      if (used > 0) return lightEnoughMs(startMs + windowMs, used, 0);
      return previous > 0 ? Math.max(nowMs, lightEnoughMs(startMs, previous, 0)) : nowMs;
    },
  };
}
