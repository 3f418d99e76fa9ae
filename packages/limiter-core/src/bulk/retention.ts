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
  /** Ledger items and receipts. */
  outcomeMs: 60 * dayMs,
  /**
   * Windows, from the first instant of their date in UTC: a local day ends up to 36 hours later and is told for 30 days
   * more, which is longer than a chunk of it can still be settled; the rest is for clocks that differ.
   */
  windowMs: 32 * dayMs,
  /** Local days before the current one whose usage is told. */
  windowDays: 30,
  /** Booking headers, from acceptance. */
  headerMs: 90 * dayMs,
  /** A chunk's hop, from its last slot: longer than any message of it can wait in a queue and a dead-letter queue. */
  hopMs: 60 * dayMs,
} as const;

/** True while an outcome is kept; afterwards nothing asks for it any more. */
export function isKept({ settledAtMs }: { readonly settledAtMs: number }, nowMs: number): boolean {
  return nowMs - settledAtMs < retention.outcomeMs;
}

/**
 * True once a window is over in every time zone, by a margin of half a day for clocks that differ. What is settled late
 * still counts in it.
 *
 * @param date `YYYY-MM-DD`
 */
export function isWindowClosed(date: string, nowMs: number): boolean {
  return nowMs - Date.parse(date) > 2 * dayMs;
}

/** True while a window's usage is kept: one that left could be granted a second time. */
export function isWindowKept(date: string, nowMs: number): boolean {
  return nowMs - Date.parse(date) <= retention.windowMs;
}
