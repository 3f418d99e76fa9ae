import type { SlidingWindow } from '../strategies/sliding-window.ts';
import type { Strategy } from '../strategies/strategy.ts';
import type { CountedWindow, Span } from '../strategies/window.ts';
import { type Entry, firstInstant, type LimitModel } from './limit-model.ts';

function sum(costs: readonly number[]): number {
  return costs.reduce((total, cost) => total + cost, 0);
}

/** A log of the window that something was last taken in. What was given back is in it below zero. */
export class WindowModel implements LimitModel {
  readonly kind = 'window';
  readonly #strategy: CountedWindow;
  #span: Span | undefined;
  #log: number[] = [];

  constructor(strategy: CountedWindow) {
    this.#strategy = strategy;
  }

  under(strategy: Strategy): LimitModel {
    if (strategy.kind !== 'window') throw new Error('A window model is of a window');
    const copy = new WindowModel(strategy);
    copy.#span = this.#span;
    copy.#log = [...this.#log];
    return copy;
  }

  /** The window that counts: that of the instant, or the next one where a clock ahead has begun it. */
  #spanAt(nowMs: number): Span {
    const span = this.#strategy.spanAt(nowMs);
    return this.#span?.startMs === span.endMs ? this.#span : span;
  }

  #used(nowMs: number): number {
    const span = this.#spanAt(nowMs);
    return this.#span?.startMs === span.startMs && this.#span.endMs === span.endMs ? sum(this.#log) : 0;
  }

  remaining(nowMs: number): number {
    return this.#strategy.limit - this.#used(nowMs);
  }

  take(nowMs: number, cost: number): Entry & Span {
    const span = this.#spanAt(nowMs);
    if (this.#span?.startMs !== span.startMs || this.#span.endMs !== span.endMs) this.#log = [];
    this.#span = span;
    this.#log.push(cost);
    return { atMs: nowMs, cost, startMs: span.startMs, endMs: span.endMs };
  }

  giveBack(nowMs: number, { cost, startMs, endMs }: Entry & Partial<Span>): boolean {
    const span = this.#spanAt(nowMs);
    if (span.startMs !== startMs || span.endMs !== endMs || this.#used(nowMs) < cost) return false;
    this.#log.push(-cost);
    return true;
  }

  refuse(): void {}

  fitsAtMs(nowMs: number, cost: number): number {
    return this.remaining(nowMs) >= cost ? nowMs : this.#spanAt(nowMs).endMs;
  }

  fullAtMs(nowMs: number): number {
    return this.#spanAt(nowMs).endMs;
  }
}

/** A log of costs by the number of their window. */
export class SlidingModel implements LimitModel {
  readonly kind = 'sliding';
  readonly #strategy: SlidingWindow;
  #log: { readonly window: number; readonly cost: number }[] = [];
  #last: number | undefined;

  constructor(strategy: SlidingWindow) {
    this.#strategy = strategy;
  }

  under(strategy: Strategy): LimitModel {
    if (strategy.kind !== 'sliding') throw new Error('A sliding model is of a sliding window');
    const copy = new SlidingModel(strategy);
    if (strategy.windowMs !== this.#strategy.windowMs) return copy;
    copy.#log = [...this.#log];
    copy.#last = this.#last;
    return copy;
  }

  #windowAt(nowMs: number): number {
    const window = Math.floor(nowMs / this.#strategy.windowMs);
    return this.#last === window + 1 ? this.#last : window;
  }

  #usedIn(window: number): number {
    const from = this.#last ?? Number.NaN;
    if (window > from || window < from - 1) return 0;
    return sum(this.#log.filter((entry) => entry.window === window).map(({ cost }) => cost));
  }

  remaining(nowMs: number): number {
    return this.#remainingIn(this.#windowAt(nowMs), nowMs);
  }

  #remainingIn(window: number, nowMs: number): number {
    const { limit, windowMs } = this.#strategy;
    // A clock that is behind the window's start counts the one before it in full.
    const left = Math.min(windowMs, (window + 1) * windowMs - nowMs);
    const before = this.#last !== undefined && window < this.#last ? 0 : this.#usedIn(window - 1);
    const weighed = (BigInt(before) * BigInt(left)) / BigInt(windowMs);
    return limit - this.#usedIn(window) - Number(weighed);
  }

  take(nowMs: number, cost: number): Entry & { readonly window: number } {
    const window = this.#windowAt(nowMs);
    this.#log = this.#last === undefined || window < this.#last ? [] : this.#log.filter((e) => e.window >= window - 1);
    this.#last = window;
    this.#log.push({ window, cost });
    return { atMs: nowMs, cost, window };
  }

  giveBack(nowMs: number, { cost, window }: Entry & { readonly window?: number }): boolean {
    const current = this.#windowAt(nowMs);
    if (window === undefined || window > current || window < current - 1 || this.#usedIn(window) < cost) return false;
    this.#log.push({ window, cost: -cost });
    this.#last = current;
    return true;
  }

  refuse(): void {}

  fitsAtMs(nowMs: number, cost: number): number {
    return this.#firstWith(nowMs, cost);
  }

  fullAtMs(nowMs: number): number {
    return this.#firstWith(nowMs, this.#strategy.limit);
  }

  #firstWith(nowMs: number, room: number): number {
    const from = this.#windowAt(nowMs);
    const { windowMs } = this.#strategy;
    return firstInstant(nowMs, (ms) => this.#remainingIn(Math.max(from, Math.floor(ms / windowMs)), ms) >= room);
  }
}
