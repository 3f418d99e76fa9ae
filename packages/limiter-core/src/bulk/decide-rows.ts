import { isGranted, type RejectReason } from './outcome.ts';
import type { Policy } from './policy.ts';
import { type BucketAt, maxBacklogMs, Scheduler } from './token-bucket.ts';

/** The rows of a chunk, and what they are decided by. */
export interface RowsToDecide {
  /** The cost of each row, in order. */
  readonly costs: readonly number[];
  readonly bookingMode: 'partial' | 'all-or-nothing';
  readonly policy: Policy;
  /** Cost of the window that counts against the limit already. */
  readonly used: number;
  readonly bucket: BucketAt;
}

export interface DecidedRows {
  /** Row by row, in the sense of an outcome's. */
  readonly reasons: readonly (RejectReason | null)[];
  /** The bucket's debt with every row that is granted. */
  readonly debtMicros: number;
}

/**
 * Decides rows by the quota first, and those that it grants by when they are due: a row due too late is rejected as if
 * it had not been there. A partial chunk is filled first fit; an all-or-nothing one is judged by its sum and by its last
 * row.
 */
export function decideRows(rows: RowsToDecide): DecidedRows {
  return rows.bookingMode === 'all-or-nothing' ? decideWhole(rows) : fillFirstFit(rows);
}

function decideWhole({ costs, policy, used, bucket }: RowsToDecide): DecidedRows {
  const total = costs.reduce((sum, cost) => sum + cost, 0);
  const reason = quotaReason(total, used, policy.dailyLimit);
  const all = (decided: RejectReason | null, debtMicros: number): DecidedRows => {
    return { reasons: costs.map(() => decided), debtMicros };
  };
  if (!isGranted({ policyMode: policy.mode }, reason)) return all(reason, bucket.debtMicros);
  const scheduler = new Scheduler(bucket, policy);
  let lastDueMs = bucket.nowMs;
  for (const cost of costs) {
    lastDueMs = scheduler.dueAtMs(cost);
    scheduler.take(cost, lastDueMs);
  }
  if (isTooLate(lastDueMs, bucket)) return all('pacing_backlog_full', bucket.debtMicros);
  return all(reason, scheduler.debtMicros);
}

function fillFirstFit({ costs, policy, used, bucket }: RowsToDecide): DecidedRows {
  const scheduler = new Scheduler(bucket, policy);
  const by = { policyMode: policy.mode };
  let usedByNow = used;
  const reasons = costs.map((cost) => {
    const reason = quotaReason(cost, usedByNow, policy.dailyLimit);
    if (!isGranted(by, reason)) return reason;
    const dueAtMs = scheduler.dueAtMs(cost);
    if (isTooLate(dueAtMs, bucket)) return 'pacing_backlog_full';
    scheduler.take(cost, dueAtMs);
    if (reason === null) usedByNow += cost;
    return reason;
  });
  return { reasons, debtMicros: scheduler.debtMicros };
}

function isTooLate(dueAtMs: number, { nowMs }: BucketAt): boolean {
  return dueAtMs > nowMs + maxBacklogMs;
}

function quotaReason(cost: number, used: number, limit: number): RejectReason | null {
  if (cost > limit) return 'exceeds_limit';
  return used + cost > limit ? 'daily_quota_exceeded' : null;
}
