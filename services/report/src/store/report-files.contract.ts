import { beforeEach, describe, expect, test } from 'vitest';
import type { ReportFiles } from './report-files.ts';

const path = '2026-11-29/Europe/Berlin/run-1/report.json';
const fileOf = (...content: string[]) => ({ mediaType: 'application/json', content });

/**
 * Registers the tests that every {@link ReportFiles} must pass (vitest).
 *
 * @param start makes an empty place; called before each test
 */
export function reportFilesContract(name: string, start: () => Promise<ReportFiles>): void {
  describe(`${name} keeps the contract of a report's files`, () => {
    let files: ReportFiles;
    beforeEach(async () => {
      files = await start();
    });

    test('a file that is not there has no text', async () => {
      expect(await files.read(path)).toBeUndefined();
    });

    test('a file of many pieces is read as one text', async () => {
      await files.put(path, fileOf('{"a":', '"é€😀"', '}\n'));
      expect(await files.read(path)).toBe('{"a":"é€😀"}\n');
    });

    test('a file whose pieces come one by one is read as one text', async () => {
      const content = (async function* () {
        yield 'a,';
        yield 'é\r\n';
      })();
      await files.put(path, { mediaType: 'text/csv', content });
      expect(await files.read(path)).toBe('a,é\r\n');
    });

    test('a file takes the place of one of its path, shorter or longer', async () => {
      for (const text of ['a longer text', 'short', 'a longer text again']) {
        await files.put(path, fileOf(text));
        expect(await files.read(path)).toBe(text);
      }
    });

    test('a file whose content fails leaves the one before', async () => {
      await files.put(path, fileOf('before'));
      const failing = (function* () {
        yield 'half';
        throw new Error('no more');
      })();
      await expect(files.put(path, { mediaType: 'text/plain', content: failing })).rejects.toThrow('no more');
      expect(await files.read(path)).toBe('before');
    });
  });
}
