export { correctionsOf } from './aggregate/corrections.ts';
export { ForeignDayError, newReport, type ReportMaker, type Run, reportOf } from './aggregate/day-report.ts';
export { closingGraceMs, FinalReportError, finalAfterMs } from './aggregate/state.ts';
export { type DayBefore, dayBefore } from './aggregate/week-before.ts';
export { accountFilesOf } from './forms/account-files.ts';
export { type FileSeal, type ReportFile, sealOf, textOf } from './forms/file.ts';
export { filesOf } from './forms/files.ts';
export { MonthError, monthFiles } from './forms/month.ts';
export type {
  AccountDayFacts,
  BacklogFact,
  CounterFact,
  HeaderFact,
  LateEvent,
  LedgerFact,
  QuarantineEvent,
  UsageEvent,
} from './model/facts.ts';
export { PartnerReport } from './model/partner.ts';
export { allZones, Correction, DayReport, ReportState } from './model/report.ts';
