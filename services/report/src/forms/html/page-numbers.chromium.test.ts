import { afterAll, beforeAll, expect, test } from 'vitest';
import { newReport } from '../../aggregate/day-report.ts';
import type { AccountReport, DayReport } from '../../model/report.ts';
import { madeDay } from '../../testing/made-day.ts';
import { PageBrowser } from '../../testing/page-browser.ts';
import { shownDay } from '../../testing/shown-day.ts';

let browser: PageBrowser;
beforeAll(async () => {
  browser = await PageBrowser.start();
});
afterAll(() => browser?.close());

/** A number as the page writes it. */
const commas = (value: number): string => value.toLocaleString('en-US');
const cost = (of: readonly { readonly cost: number }[]): number => of.reduce((sum, one) => sum + one.cost, 0);

function overAllZones(): DayReport {
  const maker = newReport({
    date: '2026-11-29',
    timezone: 'all',
    run: 1,
    nowMs: Date.parse('2026-12-01T00:00:00.000Z'),
  });
  const timezones = ['Pacific/Kiritimati', 'Europe/Berlin', 'Asia/Kolkata'];
  const day = { date: '2026-11-29', accounts: 60, chunks: 30, timezones, seed: 3, faulty: true };
  for (const facts of madeDay(day)) maker.add(facts);
  return maker.finish();
}

const reports = [
  ['one zone', shownDay(120)],
  ['all zones', overAllZones()],
] as const;

test.each(reports)('the figures of the page are those of the report: %s', async (_, report) => {
  const page = await browser.open(report);
  const { totals } = report;
  const five = [totals.used, totals.granted, totals.rejected, totals.bookings, totals.activeAccounts];
  expect(await page.locator('.figures b').allTextContents()).toEqual(five.map(commas));
  const reasons = [...Object.values(totals.rejectedByReason), ...Object.values(totals.wouldRejectByReason)];
  const rows = await page.locator('section[aria-labelledby=refusals] tbody tr').all();
  const told = await Promise.all(rows.map((row) => row.locator('td.n').allTextContents()));
  expect(told.map(([count, , of]) => [count, of])).toEqual(reasons.map((one) => [commas(one.count), commas(one.cost)]));
  expect(cost(Object.values(totals.rejectedByReason))).toBe(totals.rejectedCost);
  const busiest = report.accounts.toSorted((a, b) => b.used - a.used).filter(({ used }) => used > 0);
  const bars = await page.locator('section[aria-labelledby=busiest] tbody tr').all();
  expect(bars).toHaveLength(Math.min(100, busiest.length));
  const used = await Promise.all(bars.map((row) => row.locator('td.n').first().textContent()));
  expect(used).toEqual(busiest.slice(0, 100).map((account) => commas(account.used)));
});

test.each(reports)('the table has every account with its figures: %s', async (_, report) => {
  const page = await browser.open(report);
  const rows: string[][] = [];
  for (;;) {
    rows.push(...(await page.evaluate<string[][]>(readRows)));
    const next = page.getByRole('button', { name: 'Next' });
    if ((await next.getAttribute('aria-disabled')) === 'true') break;
    await next.click();
  }
  const isAll = report.timezone === 'all';
  expect(rows.map((cells) => cells.slice(0, isAll ? 9 : 8))).toEqual(
    report.accounts.map(
      ({ accountId, timezone, used, limit, shareOfLimit, granted, rejected, wouldReject, bookings }) => [
        accountId,
        ...(isAll ? [timezone] : []),
        commas(used),
        limit === null ? '–' : commas(limit),
        expect.stringMatching(shareOfLimit === null ? /^–$/ : /^[\d,.]+\u00a0%$/),
        commas(granted),
        commas(rejected),
        commas(wouldReject),
        commas(bookings),
      ],
    ),
  );
});

const readRows =
  "[...document.querySelectorAll('#accounts-table tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))";

test.each(reports)('the day of an account is that of the report, hour by hour: %s', async (_, report) => {
  const page = await browser.open(report);
  const chosen = [
    ...report.attention.map((one) => report.accounts.find((account) => isSame(account, one))).slice(0, 6),
    report.accounts.find(({ mode, wouldReject }) => mode === 'observe' && wouldReject > 0),
    report.accounts.find(({ limits }) => limits.length > 1),
    report.accounts.find(({ bookings }) => bookings === 0),
  ].filter((account) => account !== undefined);
  for (const account of chosen) {
    const { accountId, timezone, hours, peakHour } = account;
    await page.evaluate(`location.hash = '#account=${accountId}&zone=${timezone}'`);
    await page.waitForFunction(`document.getElementById('account-title').textContent === '${accountId}'`);
    const facts = await page.evaluate<Record<string, string>>(readFacts);
    expect(facts).toMatchObject({
      Day: `${report.date}, ${timezone}`,
      Granted: expect.stringContaining(`${commas(account.granted)} reservation`),
      Refused: `${commas(account.rejected)}, cost ${commas(account.rejectedCost)}`,
      Bookings: commas(account.bookings),
      'Peak hour': peakHour === null ? 'nothing was granted' : `${peakHour.hour}, cost ${commas(peakHour.grantedCost)}`,
      'First refusal': account.firstRefusalAt === null ? 'none' : secondsOf(account.firstRefusalAt),
      'Quarantined messages': commas(account.quarantined),
      'Hand-off backlog': account.backlog === null ? 'not looked at' : backlogOf(account.backlog),
      'Dead letters': 'not looked at',
      Reconciliation: account.reconciliation.state === 'drift' ? 'Drift' : 'Counter, events and ledger agree',
    });
    expect(facts['Used of the limit']).toContain(`${commas(account.used)} of `);
    if (account.wouldReject > 0) {
      expect(facts.Observed).toBe(`${commas(account.wouldReject)}, cost ${commas(account.wouldRejectCost)}`);
    }
    const told = await page.evaluate<string[][]>(readHours);
    expect(told).toEqual(
      hours.map(({ hour, grantedCost, rejectedCost }) => [hour, '', commas(grantedCost), commas(rejectedCost)]),
    );
  }
  expect(chosen.length).toBeGreaterThan(5);
});

const readFacts =
  "Object.fromEntries([...document.querySelectorAll('#account-live dt')].map((one) => [one.textContent, one.nextSibling.textContent]))";
const readHours =
  '[...document.querySelectorAll(\'#account-live [aria-label^="Cost by hour"] tbody tr\')].map((row) => [...row.cells].map((cell) => cell.textContent))';

function isSame(account: AccountReport, { accountId, timezone }: DayReport['attention'][number]): boolean {
  return account.accountId === accountId && account.timezone === timezone;
}

function secondsOf(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
}

function backlogOf({ cost: of, lookedAt }: NonNullable<AccountReport['backlog']>): string {
  return `cost ${commas(of)}, at ${secondsOf(lookedAt)}`;
}
