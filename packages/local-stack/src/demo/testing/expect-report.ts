import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allZones, DayReport } from '@usher/report';
import { parse } from 'csv-parse/sync';
import { expect } from 'vitest';
import type { RowReport } from './report-from-rows.ts';

/** Reads a run's report and requires that it tells, number by number, what rows add up to; answers the report. */
export async function expectReport(runFolder: string, rows: RowReport): Promise<DayReport> {
  const report = DayReport.assert(JSON.parse(await readFile(join(runFolder, 'report.json'), 'utf8')));
  const { timezone } = report;
  const accounts = rows.accounts.filter((account) => timezone === allZones || account.timezone === timezone);
  expect(report.accounts.map((account, at) => sameFields(account, accounts[at] ?? {}))).toEqual(accounts);
  const totals = timezone === allZones ? rows.totals : rows.zones.get(timezone);
  expect(sameFields(report.totals, totals ?? {})).toEqual(totals);
  expect(report.zones.map((zone) => [zone.timezone, sameFields(zone, rows.totals)])).toEqual(
    [...rows.zones].filter(([zone]) => timezone === allZones || zone === timezone).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
  expect(billed(await readFile(join(runFolder, 'billing.csv'), 'utf8'))).toEqual(accounts.map(billedOf));
  expect(report).toMatchObject({ missing: [], corrections: [], lateEvents: [] });
  expect(report.reconciliation).toEqual({ agrees: accounts.length, drift: 0, moved: 0, unknown: 0 });
  expect(report.totals).toMatchObject({ repeats: 0, late: 0, quarantined: 0 });
  return report;
}

/** The fields of an object that another has too. */
function sameFields(of: object, other: object): object {
  return Object.fromEntries(Object.entries(of).filter(([name]) => name in other));
}

/** The rows of a billing file in the columns that rows of bookings know of. */
function billed(csv: string): Record<string, string>[] {
  const lines: Record<string, string>[] = parse(csv, { columns: true });
  return lines.map(({ date, starts_at, resets_at, state, run, ...line }) => line);
}

function billedOf(account: RowReport['accounts'][number]): Record<string, string> {
  const line = {
    kind: 'usage',
    timezone: account.timezone,
    account_id: account.accountId,
    limit: account.limit,
    used: account.used,
    granted: account.granted,
    granted_cost: account.grantedCost,
    rejected: account.rejected,
    rejected_cost: account.rejectedCost,
    would_reject: account.wouldReject,
    would_reject_cost: account.wouldRejectCost,
    bookings: account.bookings,
  };
  return Object.fromEntries(Object.entries(line).map(([name, value]) => [name, String(value)]));
}
