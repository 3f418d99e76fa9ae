import { isGranted, type LedgerEntry } from '@usher/limiter-core/bulk';

/** The reasons for which enforce would have rejected rows that observe mode granted, by `<bookingId>\n<id>`. */
export function observedReasons(ledger: readonly LedgerEntry[]): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  for (const { bookingId, rows, outcome } of ledger) {
    for (const [i, { id }] of (rows ?? []).entries()) {
      const reason = outcome.reasons[i] ?? null;
      if (reason !== null && isGranted(outcome, reason)) reasons.set(`${bookingId}\n${id}`, reason);
    }
  }
  return reasons;
}
