import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportOf } from '../../aggregate/day-report.ts';
import type { DayReport } from '../../model/report.ts';
import { startChromium } from '../../testing/browser.ts';
import { aRun, factsOf } from '../../testing/facts.ts';
import { shownDay } from '../../testing/shown-day.ts';
import { textOf } from '../file.ts';
import { reportPage } from './page.ts';

const folder = mkdtempSync(join(tmpdir(), 'usher-page-'));
let browser: Browser;

beforeAll(async () => {
  browser = await startChromium();
});
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

const shown = shownDay(70);
let files = 0;

/** Opens a report's page, and fails where the page says anything: a script's error, or what its policy refused. */
async function open(
  report: DayReport,
  { hash = '', ...options }: BrowserContextOptions & { hash?: string } = {},
): Promise<Page> {
  const file = join(folder, `${++files}.html`);
  writeFileSync(file, textOf(reportPage(report)));
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(error.message));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(`${pathToFileURL(file).href}${hash}`);
  return page;
}
const said: string[] = [];
const requests: string[] = [];

const rowIds = (page: Page): Promise<string[]> => page.locator('#accounts-table tbody th').allTextContents();
const status = (page: Page): Promise<string | null> => page.locator('#accounts-status').textContent();

test.each([
  ['light', { colorScheme: 'light' }],
  ['dark, with one account chosen', { colorScheme: 'dark', hash: '#account=acme-air' }],
  ['on a phone', { viewport: { width: 390, height: 844 } }],
] as const)('axe finds no fault in the page: %s', async (_, options) => {
  const page = await open(shown, options);
  const { violations, passes } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
  expect(passes.map(({ id }) => id)).toEqual(expect.arrayContaining(['color-contrast', 'button-name', 'label']));
});

test('axe finds no fault in a page over all zones, nor in one of a day without accounts', async () => {
  const zones = ['Europe/Berlin', 'UTC'].map((timezone) =>
    factsOf({ accountId: timezone, timezone, chunks: [{ granted: { count: 1, cost: 2 } }] }),
  );
  for (const report of [reportOf({ ...aRun, timezone: 'all' }, zones), reportOf(aRun, [])]) {
    const page = await open(report);
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
  }
});

test('without JavaScript the figures are there, and what needs it says so', async () => {
  const page = await open(shown, { javaScriptEnabled: false });
  expect(await page.locator('.figures b').count()).toBe(5);
  expect(await page.getByText('This table needs JavaScript').isVisible()).toBe(true);
  expect(await page.locator('#account').isVisible()).toBe(false);
});

test('on a phone nothing is wider than the page', async () => {
  const page = await open(shown, { viewport: { width: 390, height: 844 }, hash: '#account=acme-air' });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
});

test('the table is sorted by its headers, by keyboard too, and tells in which order', async () => {
  const page = await open(shown);
  const header = page.locator('#accounts-table thead th').nth(1);
  expect(await page.locator('#accounts-table thead th').first().getAttribute('aria-sort')).toBe('ascending');
  const ids = await rowIds(page);
  expect(ids).toEqual(ids.toSorted());
  expect(ids).toHaveLength(50);
  await header.getByRole('button').press('Enter');
  expect(await header.getAttribute('aria-sort')).toBe('descending');
  expect(await page.locator('[aria-sort]').count()).toBe(1);
  const busiest = shown.accounts.toSorted((a, b) => b.used - a.used);
  expect((await rowIds(page))[0]).toBe(busiest[0]?.accountId);
  await header.getByRole('button').press('Enter');
  expect(await header.getAttribute('aria-sort')).toBe('ascending');
});

test('accounts are searched, filtered and paged, and how many are found is told', async () => {
  const page = await open(shown);
  expect(await status(page)).toBe('70 accounts, page 1 of 2');
  await page.getByRole('button', { name: 'Next' }).click();
  expect(await status(page)).toBe('70 accounts, page 2 of 2');
  await page.getByLabel('Search accounts').fill('ACME-air');
  const found = shown.accounts
    .filter(({ accountId }) => accountId.includes('acme-air'))
    .map(({ accountId }) => accountId);
  expect(found.length).toBeGreaterThan(0);
  expect(await rowIds(page)).toEqual(found);
  await page.getByLabel('Search accounts').fill('nobody');
  expect(await status(page)).toBe('No account is found');
  await page.getByLabel('Search accounts').fill('');
  await page.getByLabel('Show').selectOption('refused');
  expect(await status(page)).toContain(`${shown.accounts.filter(({ rejected }) => rejected > 0).length} accounts`);
});

test('an account is chosen in the table or by the address, shows its own hours, and is printed alone', async () => {
  const page = await open(shown);
  await page.getByLabel('Search accounts').fill('contoso-air');
  await page.locator('#accounts-table tbody button').first().click();
  expect(page.url()).toContain('#account=contoso-air&zone=Europe%2FBerlin');
  expect(await page.locator(':focus').textContent()).toBe('contoso-air');
  const account = shown.accounts.find(({ accountId }) => accountId === 'contoso-air');
  const hours = await page.locator('#account-live tbody th').allTextContents();
  expect(hours).toEqual(expect.arrayContaining(account?.hours.map(({ hour }) => hour) ?? []));
  await page.evaluate(
    "window.print = () => document.body.classList.contains('print-account') && document.body.append('printed')",
  );
  await page.getByRole('button', { name: 'Print this account' }).click();
  expect(await page.locator('body').textContent()).toContain('printed');
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('.figures').isVisible()).toBe(false);
  expect(await page.locator('#account').isVisible()).toBe(true);
});

test('an id that is markup is text, and nothing of it runs', async () => {
  const id = '"><img src=x onerror="document.title=1"><script>document.title=2</script>';
  const page = await open(reportOf(aRun, [factsOf({ accountId: id, chunks: [{ granted: { count: 1, cost: 2 } }] })]));
  await page.locator('#accounts-table tbody button').click();
  expect(await page.locator('#account-title').textContent()).toBe(id);
  expect(await page.locator('img').count()).toBe(0);
  expect(await page.title()).toBe('Quota report 2026-11-29, UTC');
});

test('the pages loaded nothing but themselves, and broke no rule of their policy', () => {
  expect(requests.length).toBeGreaterThan(10);
  expect(requests.filter((url) => !url.startsWith(pathToFileURL(folder).href))).toEqual([]);
  expect(said).toEqual([]);
});
