import type { ReportState } from '../model/report.ts';

/** The time after a day's end in which events of it are still on their way. */
export const closingGraceMs = 15 * 60_000;
/** A report is final so long after its day's end, and no longer rewritten. */
export const finalAfterMs = 72 * 3_600_000;

/** A report is asked to be written again after it became final. */
export class FinalReportError extends Error {
  override readonly name = 'FinalReportError';
}

/** The state of a day's report: what is missing holds back `complete`, and nothing holds back `final`. */
export function stateOf(day: {
  readonly resetsAtMs: number;
  readonly nowMs: number;
  readonly missing: number;
}): ReportState {
  if (day.nowMs >= day.resetsAtMs + finalAfterMs) return 'final';
  return day.nowMs >= day.resetsAtMs + closingGraceMs && day.missing === 0 ? 'complete' : 'provisional';
}

const order: readonly ReportState[] = ['provisional', 'complete', 'final'];

/** The state of a report over several zones: the least of theirs. */
export function leastState(states: readonly ReportState[]): ReportState {
  return order.find((state) => states.includes(state)) ?? 'provisional';
}
