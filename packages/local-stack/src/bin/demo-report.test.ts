import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DayReport } from '@usher/report';
import { type } from 'arktype';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { figuresFromRows } from '../demo/testing/figures-from-rows.ts';
import { CommandFolder } from './testing/command-folder.ts';

const Facts = type('string.json.parse').to({
  accounts: type({
    accountId: 'string',
    limit: 'number',
    used: 'number',
    granted: 'number',
    rejected: 'number',
  }).array(),
  reports: 'string[]',
});

let folder: CommandFolder;
beforeEach(async () => {
  folder = await CommandFolder.make();
});
afterEach(() => folder.close());

const policies = {
  default: { dailyLimit: 100 },
  accounts: {
    'coach-operator': { dailyLimit: 50, mode: 'observe' },
    'without-bookings': { dailyLimit: 7 },
  },
};

test("the demo's report stays, and says number by number what the rows of the demo add up to", async () => {
  const rowsFile = join(folder.path, 'rows.csv');
  const reports = join(folder.path, 'reports');
  const policyFile = await folder.file('p.json', JSON.stringify(policies));
  const demo = folder.run('demo', ['--json', '--policies', policyFile, '--rows', rowsFile, '--reports', reports]);
  expect(await demo.ended).toBe(0);
  const { accounts, reports: paths } = Facts.assert(demo.out.stdout);
  expect(demo.out.stderr).toContain(`The day's report\n${paths.join('\n')}\n`);
  expect(paths.map((path) => path.slice(path.lastIndexOf('.')))).toEqual(['.json', '.csv', '.html']);
  expect(paths.every((path) => path.startsWith(`${reports}/`))).toBe(true);

  const [json = '', csv = '', page = ''] = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  const report = DayReport.assert(JSON.parse(json));
  expect(report).toMatchObject({ state: 'complete', missing: [], reconciliation: { drift: 0, moved: 0, unknown: 0 } });
  const rows = figuresFromRows(await readFile(rowsFile, 'utf8'));
  expect(rows.size).toBe(3);
  for (const [accountId, { bookings, ...figures }] of rows) {
    const account = report.accounts.find((one) => one.accountId === accountId);
    expect(account).toMatchObject({ ...figures, used: figures.grantedCost, bookings: bookings.size, late: 0 });
    expect(account?.rejectedByReason).toEqual(figures.rejectedByReason);
    expect(account?.wouldRejectByReason).toEqual(figures.wouldRejectByReason);
    const hours = account?.hours ?? [];
    expect(hours.reduce((sum, hour) => sum + hour.grantedCost, 0)).toBe(figures.grantedCost);
  }
  for (const figure of ['granted', 'grantedCost', 'rejected', 'rejectedCost', 'wouldReject'] as const) {
    expect(report.totals[figure]).toBe([...rows.values()].reduce((sum, account) => sum + account[figure], 0));
  }

  for (const { accountId, limit, used, granted, rejected } of accounts) {
    expect(report.accounts).toContainEqual(expect.objectContaining({ accountId, limit, used, granted, rejected }));
  }
  const idle = report.accounts.find(({ accountId }) => accountId === 'without-bookings');
  expect(idle).toMatchObject({ limit: 7, used: 0, granted: 0, rejected: 0, bookings: 0 });
  expect(report.accounts).toHaveLength(accounts.length + 1);

  const billed: Record<string, string>[] = parse(csv, { columns: true });
  expect(new Set(billed.map((line) => line.account_id))).toEqual(
    new Set(report.accounts.map(({ accountId }) => accountId)),
  );
  expect(page).toMatch(/^<!doctype html>/i);
});
