import { isUtf8 } from 'node:buffer';
import { open } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { excerpt } from '@usher/cli';
import { TextFileError } from './errors.ts';

const maxMiB = 16;
const maxBytes = maxMiB * 1024 * 1024;
const saveAsUtf8 = 'save it as UTF-8 (in a spreadsheet: "CSV UTF-8")';

/**
 * Reads a file that people wrote, as UTF-8 with or without a byte order mark or as UTF-16 with one, at most 16 MiB.
 * Every text file of ours is read by this.
 *
 * @throws TextFileError
 */
export async function readTextFile(file: string): Promise<string> {
  return decode(file, await readBytes(file));
}

async function readBytes(file: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    await using handle = await open(file);
    // A pipe tells no size, and a device has no end: the bytes are counted as they come.
    for await (const chunk of handle.createReadStream({ autoClose: false })) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > maxBytes) throw new TextFileError(`${file}: it is larger than ${maxMiB} MiB; split it`);
    }
  } catch (error) {
    if (error instanceof TextFileError) throw error;
    throw new TextFileError(`${file}: ${unreadable(file, error)}`, { cause: error });
  }
  return Buffer.concat(chunks);
}

function unreadable(file: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT')
    return `there is no such file${isAbsolute(file) ? '' : `; it was looked for at ${resolve(file)}`}`;
  if (code === 'EISDIR') return 'it is a folder; name the files in it';
  if (code === 'EACCES' || code === 'EPERM') return 'it may not be read; change its permissions';
  return `it cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}

function decode(file: string, bytes: Buffer): string {
  const text = textOf(file, bytes);
  if (!text.includes('\0')) return text;
  const line = lineAt(text, text.indexOf('\0'));
  throw new TextFileError(`${file}:${line}: it holds NUL characters, as UTF-16 without its mark does; ${saveAsUtf8}`);
}

function textOf(file: string, bytes: Buffer): string {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-16be';
  if (utf16 === 'utf-16le' || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    try {
      return new TextDecoder(utf16, { fatal: true }).decode(bytes);
    } catch (error) {
      throw new TextFileError(`${file}: it begins as UTF-16 and is broken further on; ${saveAsUtf8}`, { cause: error });
    }
  }
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  if (bytes.toString('latin1', 0, 4) === 'PK\u0003\u0004') {
    throw new TextFileError(`${file}: it is a workbook or another archive, not text; ${saveAsUtf8}`);
  }
  throw new TextFileError(`${file}:${notUtf8(bytes)}; ${saveAsUtf8}`);
}

/** The first line that is no UTF-8, and what is readable in it. No character of UTF-8 holds the byte of a line break. */
function notUtf8(bytes: Buffer): string {
  let line = 1;
  for (let at = 0; ; line++) {
    const found = bytes.indexOf(0x0a, at);
    const end = found === -1 ? bytes.length : found;
    const own = bytes.subarray(at, end);
    if (!isUtf8(own)) return `${line}: ${firstBadByte(own)} is no UTF-8`;
    at = end + 1;
  }
}

function firstBadByte(line: Buffer): string {
  // Decoding puts U+FFFD in place of the first byte that fits nowhere; what stands before it is as it was.
  const before = new TextDecoder().decode(line).split('\ufffd', 1)[0] ?? '';
  const byte = line[Buffer.byteLength(before)] ?? 0;
  const place = before === '' ? 'at its beginning' : `after ${excerpt(before.slice(-20))}`;
  return `the byte 0x${byte.toString(16)} ${place}`;
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
