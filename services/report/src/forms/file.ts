import { createHash } from 'node:crypto';

/** A file of a report: its text in pieces, made anew each time it is read, so that none is held whole. */
export interface ReportFile {
  /** A path below the report's folder. */
  readonly name: string;
  readonly mediaType: string;
  readonly content: Iterable<string>;
}

/** A file as the event of a report tells it. */
export interface FileSeal {
  readonly name: string;
  readonly bytes: number;
  /** SHA-256 of the bytes, in lower-case hexadecimal digits. */
  readonly sha256: string;
}

/** Makes a file of a generator that can be run again and again. */
export function fileOf(name: string, mediaType: string, pieces: () => Iterator<string>): ReportFile {
  return { name, mediaType, content: { [Symbol.iterator]: pieces } };
}

/** A file's name, bytes and digest. */
export function sealOf({ name, content }: ReportFile): FileSeal {
  const hash = createHash('sha256');
  let bytes = 0;
  for (const piece of content) {
    hash.update(piece, 'utf8');
    bytes += Buffer.byteLength(piece);
  }
  return { name, bytes, sha256: hash.digest('hex') };
}

/** A file's whole text. */
export function textOf({ content }: ReportFile): string {
  return [...content].join('');
}
