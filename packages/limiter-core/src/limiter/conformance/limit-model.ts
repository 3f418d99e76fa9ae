import type { Strategy } from '../strategies/strategy.ts';

/** A cost in a limit's log. */
export interface Entry {
  readonly atMs: number;
  readonly cost: number;
}

/**
 * One limit of one key, told a second time and in another way than the rules that stores repeat: by a log of what was
 * taken, exact fractions, and a search for each instant.
 */
export interface LimitModel {
  readonly kind: Strategy['kind'];
  remaining(nowMs: number): number;
  take(nowMs: number, cost: number): Entry;
  /** @returns true where something was given back */
  giveBack(nowMs: number, entry: Entry): boolean;
  /** A refusal, which mends what a wrong clock began. */
  refuse(nowMs: number): void;
  /** A copy, under a strategy that may be another one of the same kind. */
  under(strategy: Strategy, nowMs: number): LimitModel;
  fitsAtMs(nowMs: number, cost: number): number;
  fullAtMs(nowMs: number): number;
}

/** The first instant from `nowMs` on of which `holds` is true, where it stays so. */
export function firstInstant(nowMs: number, holds: (ms: number) => boolean): number {
  if (holds(nowMs)) return nowMs;
  let [low, step] = [nowMs, 1];
  while (!holds(low + step)) {
    low += step;
    step *= 2;
  }
  let high = low + step;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}
