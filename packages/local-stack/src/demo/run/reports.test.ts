import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { reportFilesOf } from './reports.ts';

let reportsDir: string;
beforeEach(async () => {
  reportsDir = await mkdtemp(join(tmpdir(), 'usher-report-files-'));
});
afterEach(() => rm(reportsDir, { recursive: true }));

async function write(run: number, names = ['report.json', 'billing.csv', 'report.html']): Promise<void> {
  const folder = join(reportsDir, '2026-11-29', 'all', `run-${run}`);
  await mkdir(folder, { recursive: true });
  for (const name of names) await writeFile(join(folder, name), '');
}

test('of several runs the files of the latest are told', async () => {
  for (const run of [1, 2, 10]) await write(run);
  expect(await reportFilesOf({ reportsDir }, ['2026-11-29'])).toEqual(
    ['report.json', 'billing.csv', 'report.html'].map((name) => join(reportsDir, '2026-11-29', 'all', 'run-10', name)),
  );
});

test('a file that is not there is not told', async () => {
  await write(1, ['report.json', 'billing.csv']);
  await expect(reportFilesOf({ reportsDir }, ['2026-11-29'])).rejects.toThrow('report.html');
});
