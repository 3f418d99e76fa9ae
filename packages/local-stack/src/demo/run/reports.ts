import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { allZones } from '@usher/report';
import type { Stack } from '../../stack.ts';

/** The forms of a report that people are shown. */
const shownFiles = ['report.json', 'billing.csv', 'report.html'];

/** The paths of the first report over all zones of each date, each of which is there. */
export async function reportFilesOf(
  { reportsDir }: Pick<Stack, 'reportsDir'>,
  dates: readonly string[],
): Promise<string[]> {
  const paths = dates.flatMap((date) => shownFiles.map((name) => join(reportsDir, date, allZones, 'run-1', name)));
  for (const path of paths) await access(path);
  return paths;
}
