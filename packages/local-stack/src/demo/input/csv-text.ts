import { excerpt } from '@usher/cli';
import { type } from 'arktype';
import { type CsvError, parse } from 'csv-parse/sync';
import { explainQuote } from './csv-quotes.ts';
import { isInvisible, linesOf, trimInvisible } from './text-lines.ts';

/** One row of a table: the line on which it begins, and its cells by the names of the columns. */
export interface CsvRow<Name extends string> {
  readonly line: number;
  readonly cells: Readonly<Record<Name, string>>;
}

/** A fault in a table: the line that has it, and the problem in words. */
export interface CsvFault {
  readonly line: number;
  readonly problem: string;
}

export interface CsvTable<Name extends string> {
  readonly rows: readonly CsvRow<Name>[];
  readonly faults: readonly CsvFault[];
}

const Records = type({ record: 'string[]', info: { lines: 'number' } }).array();

/** The most rows of a file: as many as the demo works off in some minutes. */
const maxRows = 100_000;
/** Excel's own separators; a fifth would be a guess. */
const separators = [',', ';', '\t', '|'];

/**
 * Reads a table as spreadsheets write them, with these columns in any order: separated by commas, semicolons, tabs or
 * bars, with or without Excel's line `sep=;`, whatever the case of the header, with invisible characters and empty
 * columns around. Rows without a character are left out. A quote that is wrong ends the reading: nobody knows what
 * belongs to which row after it.
 */
export function readCsv<Name extends string>(content: string, columns: readonly Name[]): CsvTable<Name> {
  // The parser counts CR LF in quotes as two lines.
  const text = content.replaceAll('\r\n', '\n');
  const header = findHeader(text, columns);
  if ('problem' in header) return { rows: [], faults: [header] };
  const { separator, places, line: headerLine, from } = header;
  let broken: CsvError | undefined;
  const all = Records.assert(
    parse(text.slice(from), {
      delimiter: separator,
      record_delimiter: ['\n', '\r'],
      info: true,
      ltrim: true,
      rtrim: true,
      relax_column_count: true,
      skip_empty_lines: true,
      to: maxRows + 1,
      skip_records_with_error: true,
      on_skip: (error) => {
        broken ??= error;
        return undefined;
      },
    }),
  );
  const records = broken === undefined ? all : all.slice(0, Number(broken.records));
  const rows: CsvRow<Name>[] = [];
  const faults: CsvFault[] = [];
  let nextLine = headerLine + 1;
  for (const { record, info } of records.slice(0, maxRows)) {
    // A record tells the line on which it ends.
    const line = headerLine + info.lines - record.reduce((breaks, cell) => breaks + lineBreaks(cell), 0);
    const cells = record.map(trimInvisible);
    while (cells.length > columns.length && cells.at(-1) === '') cells.pop();
    if (cells.some((cell) => cell !== '')) {
      if (cells.length === columns.length) rows.push({ line, cells: byName(columns, places, cells) });
      else faults.push({ line, problem: wrongWidth(cells, columns) });
    }
    nextLine = headerLine + info.lines + 1;
  }
  if (records.length > maxRows) faults.push({ line: nextLine, problem: `more than ${maxRows} rows; split the file` });
  else if (broken !== undefined) faults.push(explainQuote(text, { line: nextLine, separator }));
  return { rows, faults };
}

interface Header {
  readonly separator: string;
  /** The place of each column, in the order of `columns`. */
  readonly places: readonly number[];
  readonly line: number;
  /** The offset at which the rows begin in the text. */
  readonly from: number;
}

function findHeader(text: string, columns: readonly string[]): Header | CsvFault {
  let tried = separators;
  for (const { line, content, next } of linesOf(text)) {
    const shown = trimInvisible(content);
    if (isEmptied(shown)) continue;
    const declared = declaredSeparator(content);
    if (declared !== undefined && tried === separators) {
      tried = [declared];
      continue;
    }
    for (const separator of tried) {
      const names = shown.split(separator).map((cell) => unquoted(trimInvisible(cell)).toLowerCase());
      while (names.at(-1) === '') names.pop();
      const places = columns.map((name) => names.indexOf(name));
      if (names.length === columns.length && !places.includes(-1)) return { separator, places, line, from: next };
    }
    return { line, problem: `the header must be ${columns.join()}, not ${excerpt(shown)}; write it above the rows` };
  }
  return { line: 1, problem: `there is nothing in it; write the header ${columns.join()} and rows below it` };
}

/** The separator that Excel's own line `sep=;` declares; undefined for any other line. */
function declaredSeparator(line: string): string | undefined {
  let start = 0;
  while (start < line.length && isInvisible(line.charAt(start))) start += 1;
  return /^"?sep=(.)"?$/i.exec(line.slice(start, start + 10))?.[1];
}

function lineBreaks(cell: string): number {
  let breaks = 0;
  for (const character of cell) if (character === '\n' || character === '\r') breaks += 1;
  return breaks;
}

/** True for a line of nothing but separators. */
function isEmptied(line: string): boolean {
  let at = 0;
  while (at < line.length && separators.includes(line.charAt(at))) at += 1;
  return at === line.length;
}

function unquoted(cell: string): string {
  return cell.length > 1 && cell.startsWith('"') && cell.endsWith('"') ? cell.slice(1, -1) : cell;
}

function byName<Name extends string>(
  columns: readonly Name[],
  places: readonly number[],
  cells: readonly string[],
): Record<Name, string> {
  const named = columns.map((name, i) => [name, cells[places[i] ?? -1] ?? ''] as const);
  return Object.fromEntries(named) as Record<Name, string>;
}

function wrongWidth(cells: readonly string[], columns: readonly string[]): string {
  const found = cells.length === 1 ? `1 cell, ${excerpt(cells[0] ?? '')}` : `${cells.length} cells`;
  return `a row must have the ${columns.length} columns ${columns.join()}, not ${found}; put a cell with a separator in it in quotes`;
}
