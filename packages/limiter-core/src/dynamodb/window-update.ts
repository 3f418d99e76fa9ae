import type { State } from '../limiter/strategies/strategy.ts';
import type { CountedWindow } from '../limiter/strategies/window.ts';
import { attributes, spansAt } from './attributes.ts';
import type { Part } from './bucket-update.ts';
import type { Expression } from './expression.ts';

/**
 * Adds a take from a window: its attribute is added to, with no branch. Where another clock has begun the next window
 * already, that one counts.
 *
 * @param isBounded false where a cost is taken whatever is left
 * @returns the instant until which the state matters
 */
export function takeFromWindow(x: Expression, part: Part<CountedWindow>, isBounded: boolean): number {
  const { name, strategy, item, nowMs, cost } = part;
  const { own, next } = spansAt(strategy, nowMs);
  const room = strategy.limit - cost;
  const following = attributes.window(name, next);
  if (item.number(following) !== undefined) {
    const used = x.name(following);
    x.require(isBounded ? `${used} <= ${x.number(room)}` : `attribute_exists(${used})`);
    x.set(following, `${used} + ${x.number(cost)}`);
    return next.endMs;
  }
  const running = attributes.window(name, own);
  const used = x.name(running);
  x.require(`attribute_not_exists(${x.name(following)})`);
  // A charge asks for no room, but for a number: what is none fails the condition, and is told by name once it is seen.
  item.number(running);
  const countable = isBounded ? `${used} <= ${x.number(room)}` : `${used} >= ${x.number(0)}`;
  x.require(`(attribute_not_exists(${used}) OR ${countable})`);
  x.set(running, `if_not_exists(${used}, ${x.number(0)}) + ${x.number(cost)}`);
  return own.endMs;
}

/** Adds a refund to the window that a cost was taken from, if that one still counts. */
export function giveBackToWindow(x: Expression, part: Part<CountedWindow>, taken: State): void {
  const { name, strategy, item, nowMs, cost } = part;
  const [stored] = item.seen([part], nowMs).states;
  const current = strategy.current(stored, nowMs);
  if (strategy.giveBack(current, nowMs, cost, taken) === current) return;
  subtract(x, attributes.window(name, current), cost);
}

/** Subtracts a cost from a count that still holds it. */
export function subtract(x: Expression, attribute: string, cost: number): void {
  const count = x.name(attribute);
  x.require(`${count} >= ${x.number(cost)}`);
  x.set(attribute, `${count} - ${x.number(cost)}`);
}
