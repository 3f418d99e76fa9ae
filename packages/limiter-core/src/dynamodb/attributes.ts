import { LruMap } from '../limiter/lru-map.ts';
import { maxClockSkewMs } from '../limiter/strategies/bucket.ts';
import type { SlidingWindow } from '../limiter/strategies/sliding-window.ts';
import type { CountedWindow, Span } from '../limiter/strategies/window.ts';

/**
 * An item's attributes beside its key. Each policy's begin with its name and a dot, which no other attribute has.
 * A window's name holds its start and its length, so that windows of another length never meet it.
 */
export const attributes = {
  /** The first instant at which the key is no longer blocked: milliseconds since the Unix epoch. */
  blockedUntil: 'blockedUntil',
  /** The id of the last write, by which a repeat after a lost answer finds that its write is done. */
  lastWrite: 'lastWrite',
  /** A bucket's TAT in ticks. */
  tat: (policy: string): string => `${policy}.tat`,
  /** The rate that a bucket's ticks are of: `ticksPerMs/ticksPerCost`. */
  rate: (policy: string): string => `${policy}.rate`,
  /** The instant since which a bucket has not been full: milliseconds since the Unix epoch. */
  since: (policy: string): string => `${policy}.since`,
  /** Ticks given back to a bucket since then from below what others had taken. */
  given: (policy: string): string => `${policy}.given`,
  /** Taken in a window. */
  window: (policy: string, { startMs, endMs }: Span): string => `${policy}.${startMs}+${endMs - startMs}`,
  /** Taken in a window that counts for the one after it too. */
  sliding: (policy: string, startMs: number, windowMs: number): string => `${policy}.${startMs}~${windowMs}`,
} as const;

/** A window, and the one after it, which another clock may have begun. */
export interface Spans {
  readonly own: Span;
  readonly next: Span;
}

/** Calendars' windows, by the rule's id: to work one out takes longer than the rest of an expression. */
const calendars = new LruMap<Spans>(100);

export function spansAt(strategy: CountedWindow, nowMs: number): Spans {
  const { fixedMs } = strategy;
  if (fixedMs !== undefined) {
    const own = strategy.spanAt(nowMs);
    return { own, next: { startMs: own.endMs, endMs: own.endMs + fixedMs } };
  }
  const known = calendars.get(strategy.id);
  if (known !== undefined && nowMs >= known.own.startMs && nowMs < known.own.endMs) return known;
  const own = strategy.spanAt(nowMs);
  const spans = { own, next: strategy.spanAt(own.endMs) };
  calendars.set(strategy.id, spans);
  return spans;
}

export function slidingStart({ windowMs }: SlidingWindow, nowMs: number): number {
  return Math.floor(nowMs / windowMs) * windowMs;
}

interface StoredWindow {
  readonly startMs: number;
  readonly lengthMs: number;
  readonly sliding: boolean;
}

/** The window that an attribute counts, or undefined for another attribute. */
function windowOf(attribute: string): StoredWindow | undefined {
  const [, startMs, sign, lengthMs] = /^[\w-]+\.(-?\d+)([+~])(\d+)$/.exec(attribute) ?? [];
  if (startMs === undefined) return undefined;
  return { startMs: Number(startMs), lengthMs: Number(lengthMs), sliding: sign === '~' };
}

/** The windows for which a count is kept after its own, as long as clocks may differ by more than them. */
const keptWindows = 4;

/**
 * True for the count of a window that nobody asks for any more: one that is over, by as much as clocks may differ or by
 * four windows if that is less, or one so far ahead that only a wrong clock can have begun it. A calendar's next window may
 * be shorter than the one that runs, and still counts.
 */
export function isStale(attribute: string, nowMs: number): boolean {
  const window = windowOf(attribute);
  if (window === undefined) return false;
  const { startMs, lengthMs, sliding } = window;
  const endMs = startMs + lengthMs * (sliding ? 2 : 1);
  return (
    endMs + Math.min(maxClockSkewMs, keptWindows * lengthMs) <= nowMs || startMs > nowMs + 2 * lengthMs + maxClockSkewMs
  );
}
