import type { Policy } from './policy.ts';
import { schedule } from './token-bucket.ts';

/** Every reason for which a reservation can be rejected. Stored outcomes hold places in this list: new ones come last. */
export const rejectReasons = ['daily_quota_exceeded', 'exceeds_limit', 'pacing_backlog_full'] as const;

/** The reason for which a reservation is rejected. */
export type RejectReason = (typeof rejectReasons)[number];

/** Observe mode grants what enforce mode would reject for the quota, and nothing that is never handed on. */
const isGrantedInObserveMode: Readonly<Record<RejectReason, boolean>> = {
  daily_quota_exceeded: true,
  exceeds_limit: true,
  pacing_backlog_full: false,
};

/**
 * The outcome of one chunk, decided once and for good. With the rows it is all that a replay needs to give the same
 * answers, events and dispatches again. The account's receipt and the chunk's ledger entry both hold it.
 */
export interface Outcome {
  /** Digest of the chunk it was decided for: 32 lower-case hexadecimal digits. */
  readonly digest: string;
  /** The window's date, `YYYY-MM-DD`. */
  readonly date: string;
  /** Row by row the reason against it, or null. Observe mode grants the row all the same where the quota is the reason. */
  readonly reasons: readonly (RejectReason | null)[];
  /** Granted cost of the window before this chunk, and what this chunk added to it. */
  readonly usedBefore: number;
  readonly grantedCost: number;
  readonly rejectedCost: number;
  /** The daily limit it was decided under, and the one last decided under in this window before, if any. */
  readonly limit: number;
  readonly limitBefore: number | null;
  /** The bucket's debt before this chunk, the time from `settledAtMs` to its TAT: whole microseconds. */
  readonly debtMicros: number;
  readonly refillPerSecond: number;
  readonly burst: number;
  readonly policyMode: Policy['mode'];
  readonly thresholds: readonly number[];
  /** The instant of the decision: milliseconds since the Unix epoch. */
  readonly settledAtMs: number;
}

/** True where a row is granted: nothing stands against it, or only a quota that is observed and not enforced. */
export function isGranted(outcome: Pick<Outcome, 'policyMode'>, reason: RejectReason | null): boolean {
  return reason === null || (outcome.policyMode === 'observe' && isGrantedInObserveMode[reason]);
}

/** Count and cost of rows. */
export interface Amount {
  readonly count: number;
  readonly cost: number;
}

/** Count and cost of the rows granted, and of those rejected. */
export function amounts(outcome: Outcome): { granted: Amount; rejected: Amount } {
  const granted = outcome.reasons.filter((reason) => isGranted(outcome, reason)).length;
  return {
    granted: { count: granted, cost: outcome.grantedCost },
    rejected: { count: outcome.reasons.length - granted, cost: outcome.rejectedCost },
  };
}

/** Granted cost of the window after this chunk. */
export function usedAfter(outcome: Pick<Outcome, 'usedBefore' | 'grantedCost'>): number {
  return outcome.usedBefore + outcome.grantedCost;
}

/**
 * The instant at which each row is due for dispatch, in milliseconds since the Unix epoch; null for a rejected row.
 * A function of the outcome and the rows' costs alone, so that every replay gives the very same instants.
 */
export function dispatchTimes(outcome: Outcome, rows: readonly { readonly cost: number }[]): (number | null)[] {
  const granted = rows.filter((_, row) => isGranted(outcome, outcome.reasons[row] ?? null)).map(({ cost }) => cost);
  const { dueAtMs } = schedule({ debtMicros: outcome.debtMicros, nowMs: outcome.settledAtMs }, outcome, granted);
  let next = 0;
  return outcome.reasons.map((reason) => (isGranted(outcome, reason) ? (dueAtMs[next++] ?? null) : null));
}

/**
 * The thresholds that usage passed with this chunk, by its grants or because the limit was lowered since the chunk before. Usage 0 has reached nothing, whatever the limit.
 */
export function thresholdsReached(outcome: Outcome): number[] {
  const { usedBefore, limitBefore, limit, thresholds } = outcome;
  return thresholds.filter(
    (threshold) =>
      hasReached(usedAfter(outcome), limit, threshold) &&
      !(limitBefore !== null && hasReached(usedBefore, limitBefore, threshold)),
  );
}

// A quotient is rounded once, so a usage of exactly threshold × limit compares equal; a product would not always.
function hasReached(used: number, limit: number, threshold: number): boolean {
  return used > 0 && used / limit >= threshold;
}
