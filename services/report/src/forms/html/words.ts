import type { RejectReason } from '@usher/limiter-core/bulk';
import type { Attention, Reconciliation } from '../../model/report.ts';

/** The heading of the runbook that tells what to do about each line of the red band. */
export const runbookHeading = 'A report needs an operator';

/** The words for each state of a report. */
export const stateWords = {
  provisional: 'Provisional',
  complete: 'Complete',
  final: 'Final',
} as const;

/** The words for each reason of a rejection. */
export const reasonWords: Readonly<Record<RejectReason, string>> = {
  daily_quota_exceeded: 'Over what was left of the day',
  exceeds_limit: 'More than a whole day’s limit',
  pacing_backlog_full: 'Hand-off backlog full',
};

/** The words for each reason of attention. */
export const attentionWords: Readonly<Record<Attention['reasons'][number], string>> = {
  drift: 'Drift',
  missing: 'Data missing',
  dead_letters: 'Dead letters',
  quarantined: 'Quarantined messages',
  refused: 'Refusals',
  fell: 'Usage at most half',
  rose: 'Usage at least doubled',
  late: 'Late events',
};

/** Reasons that call for an operator, and not for a look. */
export const urgent: ReadonlySet<string> = new Set(['drift', 'missing', 'dead_letters']);

export const reconciliationWords: Readonly<Record<Reconciliation['state'], string>> = {
  agrees: 'Counter, events and ledger agree',
  drift: 'Drift',
  moved: 'Not compared: the counter moved',
  unknown: 'Not compared: neither counter nor ledger was read',
};

export const differenceWords = {
  granted: 'Granted cost',
  rejected: 'Refused cost',
  wouldReject: 'Would-be refused cost',
} as const;
