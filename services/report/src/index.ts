export { correctionsOf } from './aggregate/corrections.ts';
export { ForeignDayError, newReport, type ReportMaker, type Run, reportOf } from './aggregate/day-report.ts';
export { closingGraceMs, FinalReportError, finalAfterMs } from './aggregate/state.ts';
export { type DayBefore, dayBefore } from './aggregate/week-before.ts';
export type { Closing } from './close/close.ts';
export { beginReports } from './close/due.ts';
export { makeReport } from './close/make-report.ts';
export { leaseMs } from './close/run-day.ts';
export type { ReportEnvironment } from './config.ts';
export { createReport, type ReportService } from './create-report.ts';
export { eventBridgePublisher } from './eventbridge-publisher.ts';
export { accountFilesOf } from './forms/account-files.ts';
export { type FileSeal, type ReportFile, sealOf, textOf } from './forms/file.ts';
export { filesOf } from './forms/files.ts';
export { reportMetrics } from './metrics.ts';
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
export type { ReportPorts } from './ports.ts';
export { reportedDetailTypes } from './read-delivery.ts';
export { sqsDeadLetters } from './sqs-dead-letters.ts';
export { FolderReportFiles } from './store/folder-report-files.ts';
export { factsKeptMs } from './store/runs.ts';
