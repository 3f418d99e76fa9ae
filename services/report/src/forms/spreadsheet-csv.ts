import type { DayReport } from '../model/report.ts';
import { billingColumns, billingRows, textColumns } from './billing-rows.ts';
import { type CsvValue, quoted } from './csv.ts';
import { defused } from './defused.ts';
import { fileOf, type ReportFile } from './file.ts';

/** For people: text that a spreadsheet would run or change is defused. For programs there is `billing.csv`. */
export function spreadsheetCsv(report: DayReport): ReportFile {
  return fileOf('spreadsheet.csv', 'text/csv; charset=utf-8', function* () {
    yield spreadsheetLine(billingColumns);
    for (const row of billingRows(report)) yield spreadsheetLine(row);
  });
}

/** Every text is quoted, so that no separator or quote within it begins another cell. */
function spreadsheetLine(row: readonly CsvValue[]): string {
  const fields = row.map((value, column) => {
    if (typeof value === 'number') return String(value);
    if (value === null) return '';
    return quoted(textColumns.has(billingColumns[column] ?? '') ? defused(value) : value);
  });
  return `${fields.join(',')}\r\n`;
}
