import { Instant, PlainDate } from '@usher/contracts';
import { type } from 'arktype';
import { Count, figuresOf } from './figures.ts';
import { AccountReport, Correction, type DayReport, ReportState } from './report.ts';

/** The fields of an account's day that its partner sees. Everything else is the operators' own. */
const partnerFields = [
  'accountId',
  'timezone',
  'startsAt',
  'resetsAt',
  'mode',
  'limit',
  'limits',
  'shareOfLimit',
  'used',
  'granted',
  'grantedCost',
  'rejected',
  'rejectedCost',
  'wouldReject',
  'wouldRejectCost',
  'rejectedByReason',
  'wouldRejectByReason',
  'bookings',
  'hours',
  'peakHour',
  'latency',
  'firstRefusalAt',
  'weekBefore',
  'complete',
] as const;

/** The report of one account's day, for its partner: its own figures alone. */
export const PartnerReport = type({
  '...': AccountReport.pick(...partnerFields),
  '+': 'reject',
  schemaVersion: '1',
  date: PlainDate,
  state: ReportState,
  run: Count,
  generatedAt: Instant,
  corrections: Correction.array(),
});
export type PartnerReport = typeof PartnerReport.infer;

/** Takes from a day's report what one account's partner may see. */
export function partnerReportOf(report: DayReport, account: AccountReport): PartnerReport {
  const { schemaVersion, date, state, run, generatedAt } = report;
  const { accountId, timezone, startsAt, resetsAt, mode, limit, limits, shareOfLimit, used } = account;
  const { rejectedByReason, wouldRejectByReason, bookings, hours, peakHour, latency } = account;
  const { firstRefusalAt, weekBefore, complete } = account;
  return {
    schemaVersion,
    date,
    state,
    run,
    generatedAt,
    accountId,
    timezone,
    startsAt,
    resetsAt,
    mode,
    limit,
    limits,
    shareOfLimit,
    used,
    ...figuresOf(account),
    rejectedByReason,
    wouldRejectByReason,
    bookings,
    hours,
    peakHour,
    latency,
    firstRefusalAt,
    weekBefore,
    complete,
    corrections: report.corrections.filter((correction) => correction.accountId === accountId),
  };
}
