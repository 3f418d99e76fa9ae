import { type AccountState, applyChange, newAccount, type WindowUsage } from '../account.ts';
import type { Outcome, RejectReason } from '../outcome.ts';
import { type SettleInput, settle } from '../settle.ts';
import { inputOf, settledOutcome, today } from './build.ts';

/** Settles, and makes the change so; an account that has nothing to change stays as it is. */
export function settleAndApply(fields: Partial<SettleInput>): { outcomes: Outcome[]; state: AccountState } {
  const input = inputOf(fields);
  const { chunks, change } = settle(input);
  const state = change === undefined ? input.state : applyChange(input.state, change);
  if (state === undefined) throw new Error('the change met a condition that does not hold');
  return { outcomes: chunks.map(settledOutcome), state };
}

/** An account that has granted so much today, under a limit of 10. */
export function accountWith(used: number, fields: Partial<WindowUsage> = {}): AccountState {
  return { ...newAccount, rev: 1, usage: new Map([[today, { used, rejected: 0, over: 0, limit: 10, ...fields }]]) };
}

/** The granted cost of a day. */
export function usedOn(state: AccountState, date = today): number | undefined {
  return state.usage.get(date)?.used;
}

export const over: RejectReason = 'daily_quota_exceeded';
export const never: RejectReason = 'exceeds_limit';
