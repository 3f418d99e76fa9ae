import type { DayReport } from '../model/report.ts';
import { billingColumns, billingRows, textColumns } from './billing-rows.ts';
import { type CsvValue, quoted } from './csv.ts';
import { fileOf, type ReportFile } from './file.ts';

/** For people: text that a spreadsheet would run or change is defused. For programs there is `billing.csv`. */
export function spreadsheetCsv(report: DayReport): ReportFile {
  return fileOf('spreadsheet.csv', 'text/csv; charset=utf-8', function* () {
    yield spreadsheetLine(billingColumns);
    for (const row of billingRows(report)) yield spreadsheetLine(row);
  });
}

/**
 * Text that a spreadsheet takes for a formula: it begins with one of `= + - @`, their full-width forms, a tab or a line break
 * (OWASP, CSV Injection), whatever blanks come before.
 */
const formula = /^[\s\u00a0]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;
/** Text that a spreadsheet takes for a number, a date, a time or a truth value, and shows as another. */
const converted = /^\s*([\d.][\d.,:/|-]*(e[+-]?\d+|[ap]m)?|true|false)\s*$/i;
/** A month's name with a digit before or behind it: a date, as `MAR1` and `1-dec-2026` are. */
const month =
  /^[\d\s.,/-]*(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?)[\d\s.,/-]*$/i;

/**
 * A text defused: an apostrophe before it, so that it begins no formula and is no number or date. Some spreadsheets hide the
 * apostrophe; for every other reader it is a part of the value.
 */
export function defused(text: string): string {
  const isDate = /\d/.test(text) && month.test(text);
  return formula.test(text) || converted.test(text) || isDate ? `'${text}` : text;
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
