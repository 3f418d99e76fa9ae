import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TextFileError } from './errors.ts';
import { readTextFile } from './text-file.ts';

describe('a text file', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'usher-text-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function read(content: string | Buffer): Promise<string> {
    const path = join(folder, 'f.txt');
    await writeFile(path, content);
    return readTextFile(path);
  }

  const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

  test.each([
    ['UTF-8', Buffer.from('Grüße 😀\r\n')],
    ['UTF-8 with a mark', Buffer.from('\ufeffGrüße 😀\r\n')],
    ['UTF-16, little end first', utf16('Grüße 😀\r\n')],
    ['UTF-16, big end first', utf16('Grüße 😀\r\n').swap16()],
  ])('is read as %s, without its mark', async (_, bytes) => {
    expect(await read(bytes)).toBe('Grüße 😀\r\n');
  });

  test('may be empty', async () => {
    expect(await read('')).toBe('');
  });

  const advice = 'save it as UTF-8 (in a spreadsheet: "CSV UTF-8")';

  test.each([
    ['Windows-1252', Buffer.from('a\nMünchen\n', 'latin1'), `f.txt:2: the byte 0xfc after "M" is no UTF-8; ${advice}`],
    [
      'another encoding from the first byte on',
      Buffer.from('Über\n', 'latin1'),
      `f.txt:1: the byte 0xdc at its beginning is no UTF-8; ${advice}`,
    ],
    ['a character cut off', Buffer.from('ä').subarray(0, 1), 'f.txt:1: the byte 0xc3 at its beginning is no UTF-8'],
    ['UTF-16 without a mark', utf16('a\nb').subarray(2), `f.txt:1: it holds NUL characters, as UTF-16 without`],
    ['half a character of UTF-16', Buffer.from('\ufeffa\ud83d', 'utf16le'), 'f.txt: it begins as UTF-16 and is broken'],
    ['a workbook', Buffer.from('PK\u0003\u0004\u00ff\u00fe', 'latin1'), 'f.txt: it is a workbook or another archive'],
  ])('is refused in %s, with what to do', async (_, bytes, problem) => {
    const reading = read(bytes);
    await expect(reading).rejects.toThrow(TextFileError);
    await expect(reading).rejects.toThrow(join(folder, problem));
  });

  test('is refused where it cannot be read, in words', async () => {
    const missing = join(folder, 'missing');
    await expect(readTextFile(missing)).rejects.toThrow(new TextFileError(`${missing}: there is no such file`));
    await expect(readTextFile(folder)).rejects.toThrow(
      new TextFileError(`${folder}: it is a folder; name the files in it`),
    );
    await expect(readTextFile(join(folder, 'a\0b'))).rejects.toThrow(TextFileError);
  });

  test('is refused above 16 MiB, however little it says of its size', async () => {
    await expect(readTextFile('/dev/zero')).rejects.toThrow(
      new TextFileError('/dev/zero: it is larger than 16 MiB; split it'),
    );
  });
});
