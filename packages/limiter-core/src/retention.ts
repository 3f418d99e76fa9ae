const dayMs = 86_400_000;

/**
 * How long things are kept. Each outlives whatever may still ask for it:
 * a chunk waits at most 14 days in its queue and 14 in the dead-letter queue (SQS's longest retention), so that one
 * accepted more than 28 days ago is no longer settled; its outcome then stays for 60 days; and a header outlives the
 * last outcome under its booking id, so that a key used again can never meet an old outcome (ADR 0002).
 */
export const retention = {
  /** A chunk older than this that was never settled is too old to be. */
  unsettledMs: 28 * dayMs,
  /** Ledger items, receipts and dated counters. */
  outcomeMs: 60 * dayMs,
  /** Booking headers, from acceptance. */
  headerMs: 90 * dayMs,
  /** A limiter's bucket, after it is full again. */
  bucketMs: 3_600_000,
} as const;

/** True while an outcome counts; afterwards it is absent, whether its item is deleted yet or not. */
export function isKept({ settledAtMs }: { readonly settledAtMs: number }, nowMs: number): boolean {
  return nowMs - settledAtMs < retention.outcomeMs;
}
