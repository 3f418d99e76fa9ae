import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { reportOf } from '../aggregate/day-report.ts';
import { allZones, type Correction, type DayReport } from '../model/report.ts';
import { madeDay } from '../testing/made-day.ts';
import { billingCsv } from './billing-csv.ts';
import { textOf } from './file.ts';
import { type BilledDay, MonthError, monthFiles } from './month.ts';

const finalMs = Date.parse('2026-12-05T00:00:00.000Z');
const correction: Correction = {
  date: '2026-10-30',
  timezone: 'UTC',
  accountId: 'acme-air',
  foundAt: '2026-11-02T01:00:00.000Z',
  before: { used: 9, granted: 4, grantedCost: 9, rejected: 0, rejectedCost: 0, wouldReject: 0, wouldRejectCost: 0 },
  after: { used: 4, granted: 2, grantedCost: 4, rejected: 0, rejectedCost: 0, wouldReject: 0, wouldRejectCost: 0 },
};

function reportOn(date: string, { nowMs = finalMs, corrections = [] as Correction[] } = {}): DayReport {
  const facts = madeDay({ date, accounts: 30, chunks: 5, timezones: ['UTC', 'Asia/Tokyo'], seed: 3 });
  return reportOf({ date, timezone: allZones, run: 1, nowMs, corrections }, facts);
}

function billedOf(report: DayReport): BilledDay {
  return { date: report.date, billing: textOf(billingCsv(report)) };
}

/** The texts of a month's files by name. */
async function written(month: string, days: readonly BilledDay[]): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const { name, content } of monthFiles(month, () => inTurn(days))) {
    texts[name] = '';
    for await (const piece of content) texts[name] += piece;
  }
  return texts;
}

async function* inTurn(days: readonly BilledDay[]): AsyncGenerator<BilledDay> {
  yield* days;
}

function rowsOf(text = ''): Record<string, string>[] {
  return parse(text, { columns: true, record_delimiter: '\r\n' });
}

test("a month's billing has each account's days summed, with the corrections that its reports carry", async () => {
  const days = [reportOn('2026-11-01'), reportOn('2026-11-02', { corrections: [correction] })];
  const files = await written('2026-11', days.map(billedOf));
  expect(Object.keys(files)).toEqual(['billing-2026-11-days.csv', 'billing-2026-11.csv']);
  const sums = rowsOf(files['billing-2026-11.csv']);
  for (const name of ['used', 'granted', 'grantedCost', 'rejected', 'rejectedCost'] as const) {
    const column = name.replace(/C/, '_c');
    for (const { account_id: id, [column]: sum } of sums) {
      const own = days.flatMap(({ accounts }) => accounts.filter(({ accountId }) => accountId === id));
      expect(sum, `${column} of ${id}`).toBe(String(own.reduce((left, account) => left + account[name], 0)));
    }
  }
  const acme = sums.find((row) => row.account_id === 'acme-air');
  expect(Number(acme?.granted_cost)).toBeGreaterThan(0);
  expect(acme).toMatchObject({
    month: '2026-11',
    days: '2',
    corrections: '1',
    corrected_granted: '-2',
    corrected_granted_cost: '-5',
    granted_cost_total: String(Number(acme?.granted_cost) - 5),
  });
  expect(sums.map((row) => row.account_id)).toEqual(sums.map((row) => row.account_id).toSorted());
});

test('the rows of the days are those of their own billing, to the byte', async () => {
  const days = [reportOn('2026-11-01', { corrections: [correction] }), reportOn('2026-11-02')].map(billedOf);
  const text = (await written('2026-11', days))['billing-2026-11-days.csv'];
  const [header] = (text ?? '').split('\r\n');
  expect(text).toBe(`${header}\r\n${days.map(({ billing }) => billing.slice(`${header}\r\n`.length)).join('')}`);
  expect(rowsOf(text)).toHaveLength(61);
});

test('a month without days has its files, without rows', async () => {
  const files = await written('2026-11', []);
  expect(Object.values(files).map((text) => text.split('\r\n').length)).toEqual([2, 2]);
});

const first = billedOf(reportOn('2026-11-01'));
const second = billedOf(reportOn('2026-11-02'));
const bad: [name: string, days: BilledDay[], message: string][] = [
  ['a day of another month', [billedOf(reportOn('2026-10-31'))], '2026-11 is given a day of another month: 2026-10-31'],
  ['a day twice', [first, first], '2026-11 is given 2026-11-01 behind 2026-11-01'],
  ['days out of order', [second, first], '2026-11 is given 2026-11-01 behind 2026-11-02'],
  ['the rows of another day', [{ ...second, billing: first.billing }], "date must be 2026-11-02 as the report's"],
  ['a report that is not final', [billedOf(reportOn('2026-11-01', { nowMs: 0 }))], 'row 2: state must be "final"'],
  [
    'other columns',
    [{ ...first, billing: `more,${first.billing}` }],
    'The billing of 2026-11-01 begins with other columns',
  ],
  [
    'a figure that is none',
    [{ ...first, billing: `${first.billing}usage,2026-11-01\r\n` }],
    'row 32: account_id must be a string',
  ],
];
test.each(bad)('a month takes no %s', async (_, days, message) => {
  const end = written('2026-11', days);
  await expect(end).rejects.toThrow(MonthError);
  await expect(end).rejects.toThrow(message);
});
