import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventFactsContract } from './event-facts.contract.ts';
import { FolderReportFiles } from './folder-report-files.ts';
import { MemoryEventFacts } from './memory-event-facts.ts';
import { MemoryReportFiles } from './memory-report-files.ts';
import { MemoryRuns } from './memory-runs.ts';
import { reportFilesContract } from './report-files.contract.ts';
import { runsContract } from './runs.contract.ts';

eventFactsContract('MemoryEventFacts', async () => new MemoryEventFacts());
runsContract('MemoryRuns', async () => new MemoryRuns());
reportFilesContract('MemoryReportFiles', async () => new MemoryReportFiles());
reportFilesContract('FolderReportFiles', async () => new FolderReportFiles(await newFolder()));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'usher-reports-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test('a file that could not be written whole leaves nothing beside it', async () => {
  const folder = await newFolder();
  const failing = (function* () {
    yield 'half';
    throw new Error('no more');
  })();
  const put = new FolderReportFiles(folder).put('a/b.json', { content: failing });
  await expect(put).rejects.toThrow('no more');
  expect(await readdir(join(folder, 'a'))).toEqual([]);
});
