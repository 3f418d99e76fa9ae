import type { Policy } from '../limiter/store.ts';
import type { State } from '../limiter/strategies/strategy.ts';
import { digitsOf, stateText } from './state-text.ts';

/** The script's operations. `peek` changes nothing. */
export type Operation = 'take' | 'peek' | 'charge' | 'giveBack' | 'block' | 'delete';

/** The script's arguments before those of the policies. */
export interface Head {
  readonly operation: Operation;
  /** The instant of the decision; the server's own time when left out. */
  readonly nowMs: number | undefined;
  /** The cost, or the length of a block in milliseconds. */
  readonly amount: number;
  /** The least time that a written key is kept: milliseconds. */
  readonly keepMs: number;
}

/** The arguments that begin every call of the script. */
export function headArguments({ operation, nowMs, amount, keepMs }: Head): string[] {
  return [operation, nowMs === undefined ? '' : digitsOf(nowMs), digitsOf(amount), digitsOf(keepMs)];
}

/**
 * The policies as the script takes them. Lua knows no time zones: a calendar's window is told by the span that an instant
 * lies in.
 *
 * @param taken the states to give back to, in order
 */
export function policyArguments(policies: readonly Policy[], nowMs: number, taken: readonly State[] = []): string[] {
  return policies.flatMap((policy, i) => {
    const before = taken[i];
    return [...ruleArguments(policy, nowMs), before === undefined ? '' : stateText(before)];
  });
}

function ruleArguments({ name, strategy }: Policy, nowMs: number): string[] {
  const numbers = (kind: string, first: number, second: number): string[] => [
    name,
    kind,
    digitsOf(strategy.limit),
    digitsOf(first),
    digitsOf(second),
  ];
  if (strategy.kind === 'bucket') return numbers('b', strategy.ticksPerMs, strategy.ticksPerCost);
  if (strategy.kind === 'sliding') return numbers('s', strategy.windowMs, 0);
  if (strategy.fixedMs !== undefined) return numbers('w', strategy.fixedMs, 0);
  const { startMs, endMs } = strategy.spanAt(nowMs);
  return numbers('c', startMs, endMs);
}
