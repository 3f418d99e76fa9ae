import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportOf } from '../../aggregate/day-report.ts';
import { dayBefore } from '../../aggregate/week-before.ts';
import { aRun, factsOf, type ToldChunk } from '../../testing/facts.ts';
import { PageBrowser } from '../../testing/page-browser.ts';

let browser: PageBrowser;
beforeAll(async () => {
  browser = await PageBrowser.start();
});
afterAll(() => browser?.close());

const granting = (cost: number, more: ToldChunk = {}): ToldChunk => ({ granted: { count: 1, cost }, ...more });
const at = (time: string) => ({ acceptedAt: '2026-11-29T00:00:00.000Z', decidedAt: `2026-11-29T${time}Z` });
const over = { daily_quota_exceeded: { count: 3, cost: 8 } };

/** Two zones; accounts that rose, fell, are new, idle, refused and observed, and one id in both zones. */
function mixedDay() {
  const week = [granting(100)];
  const before = reportOf({ ...aRun, date: '2026-11-22', timezone: 'all' }, [
    factsOf({ date: '2026-11-22', accountId: 'rose', chunks: week }),
    factsOf({
      date: '2026-11-22',
      accountId: 'fell',
      chunks: [granting(90), granting(10, { chunk: 1, byReason: over })],
    }),
  ]);
  const run = {
    ...aRun,
    timezone: 'all',
    nowMs: Date.parse('2026-12-01T00:00:00.000Z'),
    weekBefore: dayBefore(before),
  };
  return reportOf(run, [
    factsOf({ accountId: 'rose', chunks: [granting(150)] }),
    factsOf({ accountId: 'fell', chunks: [granting(40)] }),
    factsOf({
      accountId: 'new',
      chunks: [granting(5, at('00:00:00.100')), granting(5, { chunk: 1, ...at('00:00:02.500') })],
    }),
    factsOf({ accountId: 'idle' }),
    factsOf({ accountId: 'refused', chunks: [{ byReason: over }] }),
    factsOf({ accountId: 'observed', chunks: [granting(8, { mode: 'observe', byReason: over })] }),
    factsOf({
      accountId: 'moved',
      chunks: [
        granting(1, { limit: 100, ...at('01:00:00.000') }),
        granting(1, { chunk: 1, limit: 200, ...at('02:00:00.000') }),
      ],
    }),
    factsOf({ accountId: 'moved', timezone: 'Asia/Kolkata' }),
  ]);
}

const column = (page: Page, at: number): Promise<string[]> =>
  page.locator(`#accounts-table tbody tr > :nth-child(${at})`).allTextContents();
const ids = (page: Page): Promise<string[]> => column(page, 1);

test('the table is filtered, searched without regard to blanks, and sorted, with what has no figure last', async () => {
  const page = await browser.open(mixedDay());
  const show = page.getByLabel('Show');
  await show.selectOption('attention');
  expect(await ids(page)).toEqual(['fell', 'refused']);
  await show.selectOption('active');
  expect(await ids(page)).toEqual(['fell', 'moved', 'new', 'observed', 'refused', 'rose']);
  await show.selectOption('all');
  await page.getByLabel('Search accounts').fill('  RO ');
  expect(await ids(page)).toEqual(['rose']);
  await page.getByLabel('Search accounts').fill('');

  const week = page.getByRole('button', { name: 'Week' });
  const others = ['idle', 'moved', 'moved', 'new', 'observed', 'refused'];
  await week.click();
  expect(await ids(page)).toEqual(['rose', 'fell', ...others]);
  expect((await column(page, 11)).slice(0, 3)).toEqual(['+50.0\u00a0%', '−60.0\u00a0%', '–']);
  await week.click();
  expect(await ids(page)).toEqual(['fell', 'rose', ...others]);
  await page.getByRole('button', { name: 'Zone' }).click();
  expect((await column(page, 2)).slice(0, 2)).toEqual(['Asia/Kolkata', 'UTC']);
});

test('the day of an account has its waits in order, the week before, its limits, and what was only observed', async () => {
  const page = await browser.open(mixedDay(), { hash: '#account=moved&zone=UTC' });
  const text = async (id: string, zone = 'UTC'): Promise<string> => {
    await page.evaluate(`location.hash = '#account=${id}&zone=${zone}'`);
    await page.waitForFunction(`document.querySelector('#account-live dd').textContent.endsWith(', ${zone}')`);
    await page.waitForFunction(`document.getElementById('account-title').textContent === '${id}'`);
    return (await page.locator('#account-live').textContent())?.replaceAll('\u00a0', ' ') ?? '';
  };
  expect(await text('moved')).toContain('FromLimit2026-11-29 01:00:00 UTC1002026-11-29 02:00:00 UTC200');
  expect(await text('moved', 'Asia/Kolkata')).toContain('Nothing was accepted on this day.');
  expect(await text('new')).toContain('Median, 95th percentile100 ms, 2.5 s');
  expect(await text('fell')).toContain('A week beforeused 100, granted 2, refused 3');
  expect(await text('observed')).toContain('Over what was left of the day (observed, granted)38');
  expect(await text('refused')).toContain('Over what was left of the day38');
});

test('on paper the table of all accounts is left out, and the account that was printed alone is not the next time', async () => {
  const page = await browser.open(mixedDay(), { hash: '#account=rose' });
  await page.evaluate('window.print = () => undefined');
  await page.getByRole('button', { name: 'Print this account' }).click();
  await page.keyboard.press('Shift+Tab');
  await page.emulateMedia({ media: 'print' });
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('none');
  const isSeen = () =>
    Promise.all(['.figures', '#accounts', '#account', '.contents'].map((one) => page.locator(one).isVisible()));
  expect(await isSeen()).toEqual([false, false, true, false]);
  await page.evaluate("dispatchEvent(new Event('afterprint'))");
  expect(await isSeen()).toEqual([true, false, true, false]);
});

test('the focus is seen wherever it goes, and nothing moves for those who want no motion', async () => {
  const page = await browser.open(mixedDay(), { reducedMotion: 'reduce' });
  expect(await page.evaluate('getComputedStyle(document.documentElement).scrollBehavior')).toBe('auto');
  const seen: unknown[] = [];
  for (let step = 0; step < 40; step++) {
    await page.keyboard.press('Tab');
    seen.push(await page.evaluate("getComputedStyle(document.activeElement).outline.includes('solid 2px')"));
  }
  expect(seen).toEqual(seen.map(() => true));
});

test('nothing of all this was an error', () => {
  expect(browser.said).toEqual([]);
});
