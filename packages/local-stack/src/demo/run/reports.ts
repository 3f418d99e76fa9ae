import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { allZones } from '@usher/report';
import type { Stack } from '../../stack.ts';

/** The forms of a report that people are shown. */
const shownFiles = ['report.json', 'billing.csv', 'report.html'];

/** The paths of the latest report over all zones of each date, each of which is there. */
export async function reportFilesOf(
  { reportsDir }: Pick<Stack, 'reportsDir'>,
  dates: readonly string[],
): Promise<string[]> {
  const paths: string[] = [];
  for (const date of dates) {
    const folder = join(reportsDir, date, allZones);
    const runs = (await readdir(folder)).map((name) => Number(name.replace('run-', '')));
    paths.push(...shownFiles.map((name) => join(folder, `run-${Math.max(...runs)}`, name)));
  }
  for (const path of paths) await access(path);
  return paths;
}
