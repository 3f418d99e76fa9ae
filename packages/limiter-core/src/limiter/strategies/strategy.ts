import type { Bucket, BucketState } from './bucket.ts';
import type { SlidingState, SlidingWindow } from './sliding-window.ts';
import type { CountedWindow, WindowState } from './window.ts';

/**
 * A limit's rule, as pure functions of a state, an instant and a cost. Every number in it is whole, so that a store which
 * repeats the arithmetic (an update expression, a script) comes to the same decision to the last unit.
 *
 * A stored state may be absent, old, of another rate or of another rule. {@link Rule.current} makes of it what holds now,
 * and that is what the other functions take.
 */
export interface Rule<S extends State = State> {
  /** The rule in one word for each number, the same for equal rules: `bucket 100 1/200`. */
  readonly id: string;
  /** The most that can ever be allowed at once, a whole number ≥ 1. */
  readonly limit: number;
  /** The span in which the limit is used up once at most, or in which an empty bucket fills: milliseconds. */
  readonly windowMs: number;
  /** The state that holds at an instant: an absent one, or one of an earlier window, is a full limit. */
  current(stored: State | undefined, nowMs: number): S;
  /** Cost that fits now, a whole number; below 0 after a charge. */
  remaining(current: S, nowMs: number): number;
  /** The state after a cost is taken, without a look at the limit. */
  take(current: S, nowMs: number, cost: number): S;
  /**
   * The state after a cost is given back. A cost returns to the window that it was taken from. A bucket gets what has not
   * refilled since. A limit is never more than full. Where nothing is given back it is the same object, and a store leaves
   * what is stored.
   *
   * @param taken the state just after the cost was taken
   */
  giveBack(current: S, nowMs: number, cost: number, taken: State): S;
  /** The first instant at which a cost fits if nothing else is taken: milliseconds since the Unix epoch. */
  fitsAtMs(current: S, nowMs: number, cost: number): number;
  /**
   * The first instant at which the limit is full if nothing else is taken: milliseconds since the Unix epoch. A counted
   * window's is its end, even while nothing is taken of it.
   */
  fullAtMs(current: S, nowMs: number): number;
}

/** A limit: a rule with the numbers that it was made of. Made by the functions that the main entry exports. */
export type Strategy = Bucket | CountedWindow | SlidingWindow;

/** A limit's state as a store keeps it. */
export type State = BucketState | WindowState | SlidingState;
