import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type } from 'arktype';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { expectReport } from '../demo/testing/expect-report.ts';
import { type AccountPolicy, reportFromRows } from '../demo/testing/report-from-rows.ts';
import { CommandFolder } from './testing/command-folder.ts';

const Facts = type('string.json.parse').to({
  accounts: type({
    accountId: 'string',
    limit: 'number',
    used: 'number',
    granted: 'number',
    rejected: 'number',
    mode: "'enforce' | 'observe'",
  }).array(),
  reports: 'string[]',
});

let folder: CommandFolder;
beforeEach(async () => {
  folder = await CommandFolder.make();
});
afterEach(() => folder.close());

const flights = join(import.meta.dirname, '../../../../test/data/flights-5k.csv');
const idle = { accountId: 'without-bookings', limit: 7, mode: 'enforce' } as const;

test.each([
  { input: 'the examples', files: [], observed: 'coach-operator', accountCount: 3 },
  { input: 'real bookings', files: [flights], observed: 'ORD', accountCount: 180 },
])("the demo's report of $input stays, and says number by number what the demo's rows add up to", async (given) => {
  const { files, observed, accountCount } = given;
  const accounts = { [observed]: { dailyLimit: 50, mode: 'observe' }, [idle.accountId]: { dailyLimit: idle.limit } };
  const policies = await folder.file('p.json', JSON.stringify({ default: { dailyLimit: 100 }, accounts }));
  const rowsFile = join(folder.path, 'rows.csv');
  const reports = join(folder.path, 'reports');
  const options = ['--json', '--policies', policies, '--rows', rowsFile, '--reports', reports];
  const demo = folder.run('demo', [...files, ...options]);
  expect(await demo.ended).toBe(0);
  const facts = Facts.assert(demo.out.stdout);
  const { reports: paths } = facts;
  expect(demo.out.stderr).toContain(`The day's report\n${paths.join('\n')}\n`);
  expect(paths.map((path) => path.slice(path.lastIndexOf('.')))).toEqual(['.json', '.csv', '.html']);
  expect(paths.every((path) => path.startsWith(`${reports}/`))).toBe(true);
  const [json = '', , page = ''] = paths;
  expect(await readdir(reports)).toEqual([dateOf(json)]);

  expect(facts.accounts).toHaveLength(accountCount);
  const known = [...facts.accounts, idle].map(({ accountId, limit, mode }): [string, AccountPolicy] => [
    accountId,
    { timezone: 'UTC', limit, mode },
  ]);
  const rows = reportFromRows(await readFile(rowsFile, 'utf8'), dateOf(json), new Map(known));
  const report = await expectReport(dirname(json), rows);
  expect(report).toMatchObject({ state: 'complete', run: 1 });
  expect(report.totals.wouldReject).toBeGreaterThan(0);
  expect(report.totals.rejected).toBeGreaterThan(0);
  for (const { accountId, limit, used, granted, rejected } of facts.accounts) {
    expect(report.accounts).toContainEqual(expect.objectContaining({ accountId, limit, used, granted, rejected }));
  }
  expect(await readFile(page, 'utf8')).toMatch(/^<!doctype html>/i);
});

/** The day that a report is of, by its path: `<date>/<zone>/run-<n>/report.json`. */
function dateOf(path: string): string {
  return path.split('/').at(-4) ?? '';
}
