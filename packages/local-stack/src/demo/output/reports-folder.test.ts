import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openReportsFolder } from './reports-folder.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'usher-reports-folder-'));
});
afterEach(() => rm(root, { recursive: true }));

test('a new folder is made with those above it, and goes with a run that came to no end', async () => {
  const folder = await openReportsFolder(join(root, 'a', 'b'));
  await writeFile(join(folder.path, 'report.json'), '{}');
  await folder.discard();
  expect(await readdir(join(root, 'a'))).toEqual([]);
});

test('an empty folder is taken, and stays whatever comes', async () => {
  const folder = await openReportsFolder(root);
  await writeFile(join(folder.path, 'report.json'), '{}');
  await folder.discard();
  expect(await readdir(root)).toEqual(['report.json']);
});

test.each([
  ['that holds files', '.', /: it holds files already, and nothing is overwritten; name a new or empty folder$/],
  ['that is a file', 'file', /file: it is a file or lies in one; name a folder$/],
  ['below a file', 'file/x/y', /file\/x\/y: it is a file or lies in one; name a folder$/],
])('a folder %s is refused by its path', async (_, path, message) => {
  await writeFile(join(root, 'file'), '');
  await expect(openReportsFolder(join(root, path))).rejects.toThrow(
    expect.objectContaining({ name: 'ReportsFolderError', message: expect.stringMatching(message) }),
  );
});

test.runIf(process.platform === 'linux')('a folder where the system makes none is refused, and soon', async () => {
  await expect(openReportsFolder('/proc/usher/reports')).rejects.toThrow(/^\/proc\/usher\/reports: it cannot be made/);
});
