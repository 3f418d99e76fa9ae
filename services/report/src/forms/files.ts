import type { DayReport } from '../model/report.ts';
import { billingCsv } from './billing-csv.ts';
import type { ReportFile } from './file.ts';
import { reportPage } from './html/page.ts';
import { reportJson } from './report-json.ts';
import { spreadsheetCsv } from './spreadsheet-csv.ts';

/** The files of a report, but for those of each account ({@link import('./account-files.ts').accountFilesOf}). */
export function filesOf(report: DayReport): ReportFile[] {
  return [reportJson(report), billingCsv(report), spreadsheetCsv(report), reportPage(report)];
}
