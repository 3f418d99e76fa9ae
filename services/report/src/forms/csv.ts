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
