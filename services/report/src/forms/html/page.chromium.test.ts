import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reportOf } from '../../aggregate/day-report.ts';
import { aRun, factsOf } from '../../testing/facts.ts';
import { PageBrowser } from '../../testing/page-browser.ts';
import { shownDay } from '../../testing/shown-day.ts';

let browser: PageBrowser;
beforeAll(async () => {
  browser = await PageBrowser.start();
});
afterAll(() => browser?.close());

const shown = shownDay(70);
const open: PageBrowser['open'] = (report, options) => browser.open(report, options);
const rowIds = (page: Page): Promise<string[]> => page.locator('#accounts-table tbody th').allTextContents();
/** Waits until an account's day is shown and has the focus: the browser tells the page of a link that was followed when it has time. */
const titleIs = async (page: Page, accountId = ''): Promise<void> =>
  page
    .locator('#account-title:focus')
    .and(page.getByText(accountId, { exact: true }))
    .waitFor();
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

/** A day on which every text from outside is as long as can be, and cannot be broken at a blank. */
function longDay() {
  const chunks = [{ limit: 10 }, { chunk: 1, limit: 20, granted: { count: 1, cost: 9 } }];
  const accounts = ['x', 'W'].map((letter) => {
    const facts = factsOf({ accountId: letter.repeat(128), chunks });
    return { ...facts, usageEvents: facts.usageEvents.slice(1) };
  });
  const deadLetters = [{ queue: 'Q'.repeat(80), messages: 2, lookedAt: '2026-11-30T01:00:00.000Z' }];
  return reportOf({ ...aRun, deadLetters }, accounts);
}

test.each([
  ['on a phone', 390, shown, 'acme-air'],
  ['on the narrowest one', 320, shown, 'acme-air'],
  ['at twice the size of text', 640, shown, 'acme-air'],
  ['on a phone, with long names', 360, longDay(), 'x'.repeat(128)],
  ['on a desk, with long names', 1280, longDay(), 'x'.repeat(128)],
] as const)('nothing is wider than the page: %s', async (_, width, report, id) => {
  const page = await open(report, { viewport: { width, height: 844 }, hash: `#account=${id}` });
  expect(await page.locator('#account-title').textContent()).toBe(id);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
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

test('a button to another page keeps the focus where there is none', async () => {
  const page = await open(shown);
  const next = page.getByRole('button', { name: 'Next' });
  for (const _ of [1, 2, 3]) await next.press('Enter');
  expect(await status(page)).toBe('70 accounts, page 2 of 2');
  expect(await page.locator(':focus').textContent()).toBe('Next');
  expect(await next.getAttribute('aria-disabled')).toBe('true');
  for (const _ of [1, 2]) await page.getByRole('button', { name: 'Previous' }).press('Enter');
  expect(await status(page)).toBe('70 accounts, page 1 of 2');
});

test('an account that needs attention leads to its day, also when its link is followed again', async () => {
  const page = await open(shown);
  const [first] = shown.attention;
  const link = page.locator('section[aria-labelledby=attention] a').first();
  for (const _ of [1, 2]) {
    await link.press('Enter');
    await titleIs(page, first?.accountId);
    expect(await page.locator(':focus').getAttribute('id')).toBe('account-title');
    await page.locator('#search').focus();
  }
  await page.locator('section[aria-labelledby=busiest] a').nth(3).click();
  const busiest = shown.accounts.toSorted((a, b) => b.used - a.used);
  await titleIs(page, busiest[3]?.accountId);
});

test.each([
  ['#account=nobody&zone=UTC', 'This page has no account “nobody” in UTC. All accounts are in report.json.'],
  ['#account=%', 'This page has no account “%”. All accounts are in report.json.'],
])('a link to an account that is not there says so: %s', async (hash, note) => {
  const page = await open(shown, { hash });
  expect(await page.locator('#account').textContent()).toBe(`One account\n${note}`);
  await page.evaluate("location.hash = '#account=acme-air'");
  await page.waitForFunction("document.getElementById('account-title').textContent === 'acme-air'");
  expect(await page.getByText(note).isVisible()).toBe(false);
});

test('an account whose id has no form in an address is chosen all the same', async () => {
  const id = 'half \ud800';
  const page = await open(reportOf(aRun, [factsOf({ accountId: id, chunks: [{ granted: { count: 1, cost: 2 } }] })]));
  for (const place of ['#accounts-table tbody button', 'section[aria-labelledby=busiest] a']) {
    await page.locator(place).click();
    expect((await page.locator(':focus').textContent())?.toWellFormed()).toBe(id.toWellFormed());
  }
});

test('on paper the hours of a day whose clocks change keep apart, and no table is wider than the sheet', async () => {
  const day = { date: '2026-10-25', timezone: 'Europe/Berlin' };
  const facts = factsOf({ ...day, accountId: 'x'.repeat(128), chunks: [{ granted: { count: 1, cost: 3 } }] });
  // A4 between its margins.
  const page = await open(reportOf({ ...aRun, ...day }, [facts]), { viewport: { width: 703, height: 1000 } });
  await page.locator('#accounts-table tbody button').click();
  await page.emulateMedia({ media: 'print' });
  const overlaps = await page.evaluate(`(() => {
    const boxes = [...document.querySelectorAll('.heat small')].map((one) => one.getBoundingClientRect());
    return boxes.filter((box, at) => at > 0 && box.left < boxes[at - 1].right).length;
  })()`);
  expect(await page.locator('.heat small').count()).toBe(25);
  expect(overlaps).toBe(0);
  expect(
    await page.evaluate(
      "[...document.querySelectorAll('table')].filter((one) => one.scrollWidth > one.parentElement.clientWidth).length",
    ),
  ).toBe(0);
});

test('on paper the id of a correction is in one piece, and its table no wider than the sheet, beside a long zone as well', async () => {
  const figures = {
    used: 9,
    granted: 4,
    grantedCost: 9,
    rejected: 0,
    rejectedCost: 0,
    wouldReject: 0,
    wouldRejectCost: 0,
  };
  const told = { date: '2026-10-30', timezone: 'America/Argentina/Buenos_Aires', foundAt: '2026-11-02T01:00:00.000Z' };
  const corrections = [{ ...told, accountId: 'fabrikam-air', before: figures, after: figures }];
  const page = await open(reportOf({ ...aRun, corrections }, []), { viewport: { width: 703, height: 1000 } });
  await page.emulateMedia({ media: 'print' });
  const measured = await page.evaluate(`(() => {
    const frame = document.querySelector('[aria-label=Corrections]');
    const id = document.createRange();
    id.selectNodeContents(frame.querySelector('th.id'));
    return { lines: id.getClientRects().length, over: frame.scrollWidth - frame.clientWidth };
  })()`);
  expect(measured).toEqual({ lines: 1, over: 0 });
});

test('on paper the bounds of every zone are there, and closed again after', async () => {
  const page = await open(reportOf({ ...aRun, timezone: 'all' }, [factsOf({ timezone: 'Asia/Kolkata' })]));
  const zones = page.locator('details table');
  const seen: boolean[] = [];
  for (const event of ['beforeprint', 'afterprint']) {
    await page.evaluate(`dispatchEvent(new Event('${event}'))`);
    seen.push(await zones.isVisible());
  }
  expect(seen).toEqual([true, false]);
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

test('what gets into the page all the same neither runs nor loads anything', async () => {
  const page = await open(shown);
  const asked = browser.requests.length;
  const told = browser.said.length;
  await page.evaluate(`(() => {
    const script = document.createElement('script');
    script.textContent = 'document.title = 1';
    const element = document.createElement('div');
    element.innerHTML = '<img src="https://example.com/a" onerror="document.title = 2">';
    document.body.append(script, element);
    return fetch('https://example.com/b').catch(() => undefined);
  })()`);
  expect(await page.title()).toBe('Quota report 2026-11-29, Europe/Berlin');
  // Chromium tells of each thing that the policy refused.
  const refused = browser.said.splice(told);
  for (const what of ['inline script', 'inline event handler', 'image', 'Connecting']) {
    expect(
      refused.filter((text) => text.includes(what)),
      what,
    ).not.toEqual([]);
  }
  expect(browser.requests.slice(asked).filter((url) => !url.startsWith('https://example.com/'))).toEqual([]);
  browser.requests.splice(asked);
});

test('the pages loaded nothing but themselves, and broke no rule of their policy', () => {
  expect(browser.requests.length).toBeGreaterThan(10);
  expect(browser.foreignRequests()).toEqual([]);
  expect(browser.said).toEqual([]);
});
