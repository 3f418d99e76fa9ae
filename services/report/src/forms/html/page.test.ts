import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { reportOf } from '../../aggregate/day-report.ts';
import { aRun, factsOf, quarantineEvent } from '../../testing/facts.ts';
import { shownDay } from '../../testing/shown-day.ts';
import { textOf } from '../file.ts';
import { html, jsonInHtml } from './html.ts';
import { pageMaxBytes, reportPage } from './page.ts';
import { pageDataOf } from './page-data.ts';
import { pageScript } from './script.ts';
import { pageStyle } from './style.ts';

const hostile = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(2)>',
  "'-alert(3)-'",
  '</script><!--',
  '\u2028\u2029',
  '&lt;',
  '{{x}}',
  '$&',
];

/** A page on which each hostile id stands wherever an id can. */
function hostilePage(): string {
  const chunks = [
    { limit: 10 },
    { chunk: 1, limit: 20, decidedAt: '2026-11-29T10:00:00.000Z', granted: { count: 1, cost: 9 } },
  ];
  const accounts = hostile.map((accountId) => {
    const facts = factsOf({ accountId, chunks: chunks.map((chunk) => ({ ...chunk, bookingId: accountId })) });
    return {
      ...facts,
      usageEvents: facts.usageEvents.slice(1),
      quarantineEvents: [quarantineEvent(accountId)],
      lateEvents: [{ eventId: accountId, receivedAt: '2026-11-30T00:30:00.000Z' }],
    };
  });
  const [first] = hostile;
  const zero = {
    used: 0,
    granted: 0,
    grantedCost: 0,
    rejected: 0,
    rejectedCost: 0,
    wouldReject: 0,
    wouldRejectCost: 0,
  };
  const corrections = hostile.map((accountId) => ({
    date: '2026-11-01',
    timezone: 'UTC',
    accountId,
    foundAt: '2026-11-30T01:00:00.000Z',
    before: zero,
    after: zero,
  }));
  const deadLetters = hostile.map((queue) => ({ queue, messages: 1, lookedAt: '2026-11-30T01:00:00.000Z' }));
  const previous = { state: 'complete' as const, ...(first === undefined ? {} : { eventId: first }) };
  return textOf(reportPage(reportOf({ ...aRun, previous, corrections, deadLetters }, accounts)));
}

test('an id is text wherever it stands: it ends no element, no attribute and no script', () => {
  const page = hostilePage();
  expect(page.match(/<script/g)).toHaveLength(2);
  expect(page.match(/<\/script/g)).toHaveLength(2);
  expect(page).not.toMatch(/<img|<!--|onerror=alert\(2\)>/);
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(page).toContain('\\u003cscript\\u003ealert(1)\\u003c/script\\u003e');
});

test('what stands in the data of the page is read back as it was', () => {
  const data = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(hostilePage())?.[1] ?? '';
  const read: unknown = JSON.parse(data);
  expect(JSON.stringify(read)).toContain(JSON.stringify(hostile[0]).slice(1, -1));
  expect(data).not.toMatch(/[<>&\u2028\u2029]/);
  for (const text of hostile) expect(JSON.parse(jsonInHtml([text]))).toEqual([text]);
});

test('a template escapes every value, in content and in attributes', () => {
  expect(html`<a title="${'"><b>'}">${"<i>&'"}${html`<b>${1}</b>`}</a>`.text).toBe(
    '<a title="&quot;&gt;&lt;b&gt;">&lt;i&gt;&amp;&#39;<b>1</b></a>',
  );
});

test('the policy of the page lets run its one script and its one style, and load nothing', () => {
  const page = textOf(reportPage(shownDay(30)));
  const [, policy = ''] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page) ?? [];
  const digest = (text: string) => `&#39;sha256-${createHash('sha256').update(text).digest('base64')}&#39;`;
  expect(policy.split('; ')).toEqual([
    'default-src &#39;none&#39;',
    `script-src ${digest(/<script>(.*?)<\/script>/s.exec(page)?.[1] ?? '')}`,
    `style-src ${digest(/<style>(.*?)<\/style>/s.exec(page)?.[1] ?? '')}`,
    'base-uri &#39;none&#39;',
    'form-action &#39;none&#39;',
  ]);
  expect(page.indexOf('Content-Security-Policy')).toBeLessThan(page.indexOf('<style>'));
  const markup = page.replaceAll(pageScript, '').replaceAll(pageStyle, '');
  expect(markup).not.toMatch(/\sstyle=|\son[a-z]+=|https?:|src=|@import|url\(/);
  expect(pageScript).not.toMatch(
    /innerHTML|insertAdjacent|document\.write|eval\(|fetch\(|XMLHttp|https?:\/\/(?!www\.w3\.org)/,
  );
});

test('the sections come in the order of their weight, and the red band only where it is needed', () => {
  const titles = (page: string) => [...page.matchAll(/<h[12][^>]*>([^<]*)</g)].map(([, title]) => title);
  expect(titles(textOf(reportPage(shownDay(30))))).toEqual([
    'Sunday 29 November 2026, Europe/Berlin',
    'Needs an operator',
    'From acceptance to decision',
    'Waiting and put aside',
    'Accounts needing attention',
    'Refusals by reason',
    'The 29 busiest against their limits',
    'By hour of the account’s day',
    'All accounts',
    'One account',
    'Corrections',
    'Reconciliation',
    'Late and repeated events',
    'Definitions and schema',
  ]);
  const calm = reportOf({ ...aRun, deadLetters: [{ queue: 'q', messages: 0, lookedAt: '2026-11-30T01:00:00.000Z' }] }, [
    factsOf({}),
  ]);
  expect(titles(textOf(reportPage(calm)))).not.toContain('Needs an operator');
});

test('the red band names the heading of the runbook that tells what to do about each of its lines', () => {
  const runbook = readFileSync(new URL('../../../../../docs/runbook.md', import.meta.url), 'utf8');
  const [, named = ''] = /What to do: docs\/runbook\.md, “([^”]*)”/.exec(textOf(reportPage(shownDay(30)))) ?? [];
  const [, entry = ''] = runbook.split(`\n## ${named}\n`);
  const lines = [...(entry.split('\n## ')[0] ?? '').matchAll(/^- \*\*([^*]*)\.\*\*/gm)].map(([, line]) => line);
  expect(lines).toEqual([
    'Drift',
    'Missing, chunks',
    'Missing, bookings not accepted yet',
    'Missing, headers',
    'Dead letters',
  ]);
});

test('the main figures are there without JavaScript', () => {
  const report = shownDay(150);
  const still = textOf(reportPage(report)).replaceAll(/<script.*?<\/script>/gs, '');
  const commas = (value: number) => String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',');
  for (const value of [report.totals.used, report.totals.granted, report.totals.rejected, report.totals.bookings]) {
    expect(still).toContain(`>${commas(value)}</b>`);
  }
  const busiest = report.accounts.toSorted((a, b) => b.used - a.used).slice(0, 100);
  for (const { accountId } of busiest) expect(still).toContain(`>${accountId}<`);
});

test('a limit that changed has a tick on the bar and a text beside it', () => {
  const chunks = [
    { limit: 100, decidedAt: '2026-11-29T08:00:00.000Z', granted: { count: 1, cost: 90 } },
    { chunk: 1, limit: 200, decidedAt: '2026-11-29T12:04:00.000Z' },
  ];
  const page = textOf(reportPage(reportOf(aRun, [factsOf({ chunks })])));
  expect(page).toContain('<line class="tick" x1="50.00" x2="50.00"');
  expect(page.replaceAll(/<[^>]*>/g, '')).toContain('limit 100 → 200 at 12:04 UTC');
});

test('on a day whose clocks changed the strips have an offset for each hour', () => {
  const facts = factsOf({
    date: '2026-10-25',
    timezone: 'Europe/Berlin',
    chunks: [{ granted: { count: 1, cost: 3 } }],
  });
  const run = { ...aRun, date: '2026-10-25', timezone: 'Europe/Berlin' };
  const page = textOf(reportPage(reportOf(run, [facts])));
  expect(page).toContain('The day has 25 of them');
  expect(page).toContain('02<small>+02:00</small>');
  expect(page).toContain('02<small>+01:00</small>');
});

test('where the page has no room for all accounts, the least busy lose their hours first, and then their rows', () => {
  const report = shownDay(200);
  const all = pageDataOf(report, pageMaxBytes);
  expect([all.accounts, all.withHours]).toEqual([200, 200]);
  const bytes = Buffer.byteLength(all.json);
  const fewer = pageDataOf(report, bytes - 2000);
  expect(fewer.accounts).toBe(200);
  expect(fewer.withHours).toBeLessThan(200);
  const few = pageDataOf(report, 5000);
  expect(few.accounts).toBeLessThan(60);
  expect(few.withHours).toBeLessThan(few.accounts / 10);
  const busiest = report.accounts.toSorted((a, b) => b.used - a.used)[0]?.accountId ?? '';
  expect(few.json).toContain(`"${busiest}"`);
  expect(() => JSON.parse(few.json)).not.toThrow();
  // The page links these, however little they used.
  expect(report.attention).toHaveLength(20);
  for (const { accountId } of report.attention) expect(few.json).toContain(`"${accountId}"`);
});
