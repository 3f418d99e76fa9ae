import type { DayReport } from '../model/report.ts';
import { billingColumns, billingRows } from './billing-rows.ts';
import { csvLine } from './csv.ts';
import { fileOf, type ReportFile } from './file.ts';

/** For programs: exact, every id byte for byte. A spreadsheet may take an id for a formula; {@link spreadsheetCsv} is for it. */
export function billingCsv(report: DayReport): ReportFile {
  return fileOf('billing.csv', 'text/csv; charset=utf-8', function* () {
    yield csvLine(billingColumns);
    for (const row of billingRows(report)) yield csvLine(row);
  });
}
