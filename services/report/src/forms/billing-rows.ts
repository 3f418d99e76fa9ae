import { figureNames } from '../model/figures.ts';
import type { AccountReport, CorrectedFigures, Correction, DayReport } from '../model/report.ts';
import type { CsvValue } from './csv.ts';

/** The columns of billing files. Of a correction the figures are differences, so that sums over all rows are right. */
export const billingColumns = [
  'kind',
  'date',
  'timezone',
  'account_id',
  'starts_at',
  'resets_at',
  'limit',
  'used',
  'granted',
  'granted_cost',
  'rejected',
  'rejected_cost',
  'would_reject',
  'would_reject_cost',
  'bookings',
  'state',
  'run',
] as const;

/** The columns that hold text from outside. */
export const textColumns: ReadonlySet<string> = new Set(['timezone', 'account_id']);

/** The rows of a report: one for each account, then one for each correction of an earlier day. */
export function* billingRows(report: DayReport): Generator<readonly CsvValue[]> {
  for (const account of report.accounts) yield usageRow(report, account);
  for (const correction of report.corrections) yield correctionRow(report, correction);
}

function usageRow({ date, state, run }: DayReport, account: AccountReport): CsvValue[] {
  const { timezone, accountId, startsAt, resetsAt, limit, used, bookings } = account;
  const figures = figureNames.map((name) => account[name]);
  return ['usage', date, timezone, accountId, startsAt, resetsAt, limit, used, ...figures, bookings, state, run];
}

function correctionRow({ run }: DayReport, correction: Correction): CsvValue[] {
  const { date, timezone, accountId } = correction;
  const { used, ...figures } = differencesOf(correction);
  const values = figureNames.map((name) => figures[name]);
  return ['correction', date, timezone, accountId, null, null, null, used, ...values, null, 'final', run];
}

/** The figures that a correction adds; where they went down, they are negative. */
export function differencesOf({ before, after }: Correction): CorrectedFigures {
  return {
    used: after.used - before.used,
    granted: after.granted - before.granted,
    grantedCost: after.grantedCost - before.grantedCost,
    rejected: after.rejected - before.rejected,
    rejectedCost: after.rejectedCost - before.rejectedCost,
    wouldReject: after.wouldReject - before.wouldReject,
    wouldRejectCost: after.wouldRejectCost - before.wouldRejectCost,
  };
}
