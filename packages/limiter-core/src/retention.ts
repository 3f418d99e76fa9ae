const dayMs = 86_400_000;

/**
 * Retention of everything stored. Each kind outlives whatever may still ask for it. A chunk waits at most 14 days in its
 * queue and 14 in the dead-letter queue (SQS's longest retention), so one accepted more than 28 days ago is no longer
 * settled. Its outcome then stays for 60 days. A header outlives the last outcome of its booking, so a repeat is
 * recognised as long as anything is left of it (ADR 0002).
 */
export const retention = {
  /** The oldest that a chunk may be at its first settling. */
  unsettledMs: 28 * dayMs,
  /** Ledger items, receipts and dated counters. */
  outcomeMs: 60 * dayMs,
  /** Booking headers, from acceptance. */
  headerMs: 90 * dayMs,
  /** A limiter's bucket, after it is full again. */
  bucketMs: 3_600_000,
} as const;

/** True while an outcome is kept; afterwards nothing asks for it any more. */
export function isKept({ settledAtMs }: { readonly settledAtMs: number }, nowMs: number): boolean {
  return nowMs - settledAtMs < retention.outcomeMs;
}
