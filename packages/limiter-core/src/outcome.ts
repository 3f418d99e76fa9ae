import type { Policy } from './policy.ts';
import { schedule } from './token-bucket.ts';

/** Every reason for which a reservation can be rejected. */
export const rejectReasons = ['daily_quota_exceeded', 'exceeds_limit', 'discarded_by_operator'] as const;

/** The reason for which a reservation is rejected. */
export type RejectReason = (typeof rejectReasons)[number];

/**
 * What was decided about one chunk, once and for good: everything that a replay needs to give the same answers, events
 * and dispatches again, beside the rows themselves. The account's receipt and the chunk's ledger item both hold it.
 */
export interface Outcome {
  /** Digest of the chunk it was decided for: 32 lower-case hexadecimal digits. */
  readonly digest: string;
  /** The window's date, `YYYY-MM-DD`. */
  readonly date: string;
  /** Row by row: why it is rejected (in observe mode: would have been), or null where nothing stands against it. */
  readonly reasons: readonly (RejectReason | null)[];
  /** Granted cost of the window before this chunk, and what this chunk added to it. */
  readonly usedBefore: number;
  readonly grantedCost: number;
  readonly rejectedCost: number;
  /** The daily limit it was decided under, and the one last decided under in this window before, if any. */
  readonly limit: number;
  readonly limitBefore: number | null;
  /** How far the bucket's TAT lay after `settledAtMs`: whole microseconds. */
  readonly debtMicros: number;
  readonly refillPerSecond: number;
  readonly burst: number;
  readonly policyMode: Policy['mode'];
  readonly thresholds: readonly number[];
  /** When it was decided: milliseconds since the Unix epoch. */
  readonly settledAtMs: number;
}

/** True where a row is granted: nothing stands against it, or the account is only observed. */
export function isGranted(outcome: Pick<Outcome, 'policyMode'>, reason: RejectReason | null): boolean {
  return reason === null || outcome.policyMode === 'observe';
}

/** Count and cost of rows. */
export interface Amount {
  readonly count: number;
  readonly cost: number;
}

/** How many rows were granted and rejected, and at what cost. */
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
 * When each row is due for dispatch, in milliseconds since the Unix epoch; null for a rejected row.
 * A function of the outcome and the rows' costs alone, so that every replay gives the very same instants.
 */
export function dispatchTimes(outcome: Outcome, rows: readonly { readonly cost: number }[]): (number | null)[] {
  const granted = rows.filter((_, row) => isGranted(outcome, outcome.reasons[row] ?? null)).map(({ cost }) => cost);
  const { dueAtMs } = schedule({ debtMicros: outcome.debtMicros, nowMs: outcome.settledAtMs }, outcome, granted);
  let next = 0;
  return outcome.reasons.map((reason) => (isGranted(outcome, reason) ? (dueAtMs[next++] ?? null) : null));
}

/**
 * The thresholds that usage passed with this chunk, be it by what was granted or because the limit was lowered since
 * the chunk before. Usage 0 has reached nothing, whatever the limit.
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
