import type { Policy } from '../limiter/store.ts';
import type { State, Strategy } from '../limiter/strategies/strategy.ts';
import { digitsOf, stateText } from './state-text.ts';

/** The script's operations. `peek` changes nothing. */
export type Operation = 'take' | 'peek' | 'charge' | 'giveBack' | 'block' | 'delete';

/** A call of the script, but for its key and its time. */
export interface Request {
  readonly operation: Operation;
  /** The cost, or the length of a block in milliseconds. */
  readonly amount: number;
  readonly policies: readonly Policy[];
  /** The states to give back to, in order. */
  readonly taken?: readonly State[];
}

/**
 * The script's arguments. Lua knows no time zones: a calendar's window is told by the span that an instant lies in.
 *
 * @param clockMs the instant of the decision; the server's own time when left out
 * @param guessMs the instant of the calendars' spans
 */
export function scriptArguments(request: Request, clockMs: number | undefined, guessMs: number): string[] {
  const { operation, amount, policies, taken } = request;
  const args = [operation, clockMs === undefined ? '' : digitsOf(clockMs), digitsOf(amount)];
  let i = 0;
  for (const { name, strategy } of policies) {
    const [kind, first, second] = ruleOf(strategy, guessMs);
    // One by one: lists that are made and joined cost more than all the rest.
    args.push(name, kind, digitsOf(strategy.limit), digitsOf(first), digitsOf(second));
    if (taken !== undefined) args.push(textOf(taken[i]));
    i++;
  }
  return args;
}

/** The kind of a rule, and its two numbers. */
function ruleOf(strategy: Strategy, guessMs: number): readonly [kind: string, first: number, second: number] {
  if (strategy.kind === 'bucket') return ['b', strategy.ticksPerMs, strategy.ticksPerCost];
  if (strategy.kind === 'sliding') return ['s', strategy.windowMs, 0];
  if (strategy.fixedMs !== undefined) return ['w', strategy.fixedMs, 0];
  const { startMs, endMs } = strategy.spanAt(guessMs);
  return ['c', startMs, endMs];
}

function textOf(state: State | undefined): string {
  return state === undefined ? '' : stateText(state);
}
