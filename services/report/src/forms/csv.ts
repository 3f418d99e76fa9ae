import { UsherError } from '@usher/limiter-core/bulk';

/** A value of a CSV field; null is an empty one. */
export type CsvValue = string | number | null;

/**
 * A line of CSV by RFC 4180: fields parted by commas, ended by CR LF. A field is quoted only where it must be, so that a reader
 * gets every byte as it is.
 */
export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvField).join(',')}\r\n`;
}

function csvField(value: CsvValue): string {
  const text = value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? quoted(text) : text;
}

/** A field in quotes, those within it doubled. */
export function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** CSV is not as {@link csvLine} writes it. */
export class CsvError extends UsherError {
  override readonly name = 'CsvError';
}

/**
 * The rows of what {@link csvLine} wrote, each field as it was; an empty one is ''.
 *
 * @throws CsvError
 */
export function* csvRows(text: string): Generator<string[]> {
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const { value, end } = text[at] === '"' ? quotedAt(text, at) : plainAt(text, at);
    row.push(value);
    const isLast = text.startsWith('\r\n', end);
    if (!isLast && text[end] !== ',') throw new CsvError(`Character ${end + 1} must be a comma, or CR and LF`);
    at = end + (isLast ? 2 : 1);
    if (!isLast) continue;
    yield row;
    row = [];
  }
  if (row.length > 0) throw new CsvError('The last row must end with CR LF');
}

interface FoundField {
  readonly value: string;
  /** The place behind it. */
  readonly end: number;
}

function plainAt(text: string, at: number): FoundField {
  const field = /[^",\r\n]*/y;
  field.lastIndex = at;
  const value = field.exec(text)?.[0] ?? '';
  return { value, end: at + value.length };
}

function quotedAt(text: string, at: number): FoundField {
  let close = text.indexOf('"', at + 1);
  while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  if (close < 0) throw new CsvError(`The quote of character ${at + 1} must have its end`);
  return { value: text.slice(at + 1, close).replaceAll('""', '"'), end: close + 1 };
}
