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

/** What is wrong with a line of a table. */
export interface CsvFault {
  readonly line: number;
  readonly problem: string;
}

export interface CsvTable<Name extends string> {
  readonly rows: readonly CsvRow<Name>[];
  readonly faults: readonly CsvFault[];
}

const Records = type({ record: 'string[]', info: { lines: 'number' } }).array();

/** Excel's own separators; a fifth would be a guess. */
const separators = [',', ';', '\t', '|'];

/**
 * Reads a table as spreadsheets write them, with these columns in any order: separated by commas, semicolons, tabs or
 * bars, with or without Excel's line `sep=;`, whatever the case of the header, with invisible characters and empty
 * columns around. Rows without a character are left out. A quote that is wrong ends the reading: nobody knows what
 * belongs to which row after it.
 */
export function readCsv<Name extends string>(text: string, columns: readonly Name[]): CsvTable<Name> {
  const header = findHeader(text, columns);
  if ('problem' in header) return { rows: [], faults: [header] };
  const { separator, places, line: headerLine, from } = header;
  let broken: CsvError | undefined;
  const all = Records.assert(
    parse(text.slice(from), {
      delimiter: separator,
      record_delimiter: ['\r\n', '\n', '\r'],
      info: true,
      ltrim: true,
      rtrim: true,
      relax_column_count: true,
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
  // A record tells the line on which it ends; it begins on the one after the record before it.
  let line = headerLine + 1;
  for (const { record, info } of records) {
    const cells = record.map(trimInvisible);
    while (cells.length > columns.length && cells.at(-1) === '') cells.pop();
    if (cells.some((cell) => cell !== '')) {
      if (cells.length === columns.length) rows.push({ line, cells: byName(columns, places, cells) });
      else faults.push({ line, problem: wrongWidth(cells, columns) });
    }
    line = headerLine + info.lines + 1;
  }
  if (broken !== undefined) faults.push(explainQuote(text, { line, separator }));
  return { rows, faults };
}

interface Header {
  readonly separator: string;
  /** Where each column stands, by its place in `columns`. */
  readonly places: readonly number[];
  readonly line: number;
  /** Where the rows begin in the text. */
  readonly from: number;
}

function findHeader(text: string, columns: readonly string[]): Header | CsvFault {
  let tried = separators;
  for (const { line, content, next } of linesOf(text)) {
    const shown = trimInvisible(content);
    if ([...shown].every((character) => separators.includes(character))) continue;
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

/** What Excel's own line `sep=;` declares, where a line is one. */
function declaredSeparator(line: string): string | undefined {
  const start = [...line].findIndex((character) => !isInvisible(character));
  return /^"?sep=(.)"?$/i.exec(line.slice(start))?.[1];
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
