import { expect, test } from 'vitest';
import { reportOf } from '../../aggregate/day-report.ts';
import type { AccountDayFacts } from '../../model/facts.ts';
import { aRun, factsOf } from '../../testing/facts.ts';
import { readRows, readText } from '../../testing/html-text.ts';
import { correctionsPart, eventsPart, reconciliationPart } from './books.ts';
import { busiestPart } from './busiest.ts';
import { definitionsPart } from './definitions.ts';
import { heatPart } from './heat.ts';
import { byUsage, pageDataOf } from './page-data.ts';
import { attentionPart, refusalsPart } from './refusals.ts';

const reasons = {
  daily_quota_exceeded: { count: 3, cost: 90 },
  exceeds_limit: { count: 1, cost: 10 },
};

test('refusals are told by reason, and apart from them those that were only observed', () => {
  const held = factsOf({ chunks: [{ granted: { count: 4, cost: 4 }, byReason: reasons }] });
  const observed = factsOf({
    accountId: 'b',
    chunks: [
      { mode: 'observe', granted: { count: 2, cost: 9 }, byReason: { daily_quota_exceeded: { count: 2, cost: 9 } } },
    ],
  });
  const part = refusalsPart(reportOf(aRun, [held, observed]));
  expect(readText(part)).toContain('4 reservations of 10 refused, in 1 account.');
  expect(readText(part)).toContain('Observe mode granted these 2 reservations;');
  expect(readRows(part)).toEqual([
    ['Reason', 'Bar', 'Reservations', 'Share', 'Cost'],
    ['Over what was left of the day (daily_quota_exceeded)', '', '3', '75.0 %', '90'],
    ['More than a whole day’s limit (exceeds_limit)', '', '1', '25.0 %', '10'],
    ['Reason', 'Bar', 'Reservations', 'Share', 'Cost'],
    ['Over what was left of the day (daily_quota_exceeded)', '', '2', '100 %', '9'],
  ]);
});

test('an account that needs attention has its reasons, its zone over all zones, and leads to its day', () => {
  const facts = [factsOf({ accountId: 'a|b', timezone: 'Etc/GMT+1', chunks: [{ byReason: reasons }] })];
  const part = attentionPart(reportOf({ ...aRun, timezone: 'all', nowMs: aRun.nowMs + 86_400_000 }, facts));
  expect(readRows(part)[1]).toEqual(['a|b Etc/GMT+1', 'Refusals', '0', '–', '4']);
  expect(part.text).toContain('href="#account=a%7Cb&amp;zone=Etc%2FGMT%2B1"');
  expect(readRows(attentionPart(reportOf({ ...aRun, timezone: 'Etc/GMT+1' }, facts)))[1]?.[0]).toBe('a|b');
});

test('the bar of the busiest is a warning where the limit is passed, and not where it is reached', () => {
  const using = (accountId: string, cost: number) =>
    factsOf({ accountId, chunks: [{ limit: 100, granted: { count: 1, cost } }] });
  const part = busiestPart(reportOf(aRun, [using('over', 200), using('at', 100), using('half', 50), using('none', 0)]));
  const bars = [...part.text.matchAll(/class="track" width="([^"]*)"[^>]*\/><rect class="([^"]*)" width="([^"]*)"/g)];
  expect(bars.map(([, track, kind, width]) => [track, kind, width])).toEqual([
    ['50.00', 'fill warn', '100.00'],
    ['100.00', 'fill', '100.00'],
    ['100.00', 'fill', '50.00'],
  ]);
  expect(readRows(part).slice(1)).toEqual([
    ['over', '', '200', '100', '200 %', '0'],
    ['at', '', '100', '100', '100 %', '0'],
    ['half', '', '50', '100', '50.0 %', '0'],
  ]);
  expect(readText(part)).toMatch(/^The 3 busiest against their limits/);
  expect(readText(busiestPart(reportOf(aRun, [])))).toMatch(/^The busiest against their limits/);
});

test('a limit that changed time and again is told at its begin, and makes the page no longer', () => {
  const chunks = Array.from({ length: 5000 }, (_, chunk) => ({
    chunk,
    limit: 1000 + (chunk % 2),
    decidedAt: new Date(Date.parse('2026-11-29T08:00:00.000Z') + chunk * 1000).toISOString(),
    granted: { count: 1, cost: 1 },
  }));
  const report = reportOf(aRun, [factsOf({ chunks })]);
  const part = busiestPart(report);
  expect(readRows(part)[1]?.[0]).toBe(
    'acme limit 1,000 → 1,001 at 08:00 UTC → 1,000 at 08:00 UTC → 1,001 at 08:00 UTC and 4,996 more',
  );
  expect(part.text.match(/class="tick"/g)).toHaveLength(2);
  expect(part.text.length).toBeLessThan(3000);
  expect(pageDataOf(report, 1_000_000).json.length).toBeLessThan(5000);
});

const at = (hour: string, granted: number, chunk = 0) => ({
  chunk,
  acceptedAt: `2026-11-29T${hour}:00.000Z`,
  granted: { count: 1, cost: granted },
});

test('a strip has each hour with its cost, shaded by its own highest', () => {
  const chunks = [
    at('03:10', 100),
    at('04:10', 81, 1),
    at('05:10', 80, 2),
    at('06:10', 1, 3),
    { ...at('06:20', 0, 4), byReason: reasons },
  ];
  const part = heatPart(reportOf(aRun, [factsOf({ chunks })]));
  const [head, granted, refused, own] = readRows(part);
  expect(head).toEqual(['Cost', ...Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'))]);
  expect(granted?.slice(0, 9)).toEqual(['All granted', '0', '0', '0', '100', '81', '80', '1', '0']);
  expect(refused?.slice(0, 9)).toEqual(['All refused', '0', '0', '0', '0', '0', '0', '100', '0']);
  expect(own).toEqual(['acme', ...(granted?.slice(1) ?? [])]);
  expect([...part.text.matchAll(/<td class="([gr]\d)">/g)].map(([, shade]) => shade)).toEqual([
    'g5',
    'g5',
    'g4',
    'g1',
    'r5',
    'g5',
    'g5',
    'g4',
    'g1',
  ]);
});

test('over all zones both hours of an account whose clocks are set back stand in one column', () => {
  const date = '2026-10-25';
  const chunks = ['00:30', '01:30'].map((time, chunk) => ({
    ...at(time, 7, chunk),
    acceptedAt: `${date}T${time}:00.000Z`,
  }));
  const facts = factsOf({ date, timezone: 'Europe/Berlin', chunks });
  const [, granted, , own] = readRows(heatPart(reportOf({ ...aRun, date, timezone: 'all' }, [facts])));
  expect(granted?.slice(0, 5)).toEqual(['All granted', '0', '0', '14', '0']);
  expect(own?.slice(0, 5)).toEqual(['acme', '0', '0', '14', '0']);
});

const none = { used: 0, granted: 0, grantedCost: 0, rejected: 0, rejectedCost: 0, wouldReject: 0, wouldRejectCost: 0 };
const correction = {
  date: '2026-11-20',
  timezone: 'UTC',
  accountId: 'acme',
  foundAt: '2026-11-30T01:00:00.000Z',
  before: { ...none, grantedCost: 1200, rejectedCost: 4 },
  after: { ...none, grantedCost: 100, rejectedCost: 9 },
};

test('a correction is told with its figures before and now, and their difference', () => {
  const part = correctionsPart(reportOf({ ...aRun, corrections: [correction] }, []));
  expect(readRows(part)[1]).toEqual(['2026-11-20 UTC', 'acme', '1,200', '100', '−1,100', '+5', '30 Nov 01:00 UTC']);
});

test('a table has at most a hundred rows, and says how many more there are', () => {
  const part = (count: number) =>
    correctionsPart(reportOf({ ...aRun, corrections: Array.from({ length: count }, () => correction) }, []));
  expect(readRows(part(100))).toHaveLength(101);
  expect(readText(part(100))).not.toContain('more');
  expect(readRows(part(102))).toHaveLength(101);
  expect(readText(part(102))).toContain('And 2 more, in report.json.');
});

test('drift is told with the three sources, of the accounts that drift alone', () => {
  const facts = factsOf({ chunks: [{ granted: { count: 1, cost: 7 } }] });
  const counter = { used: 9, rejected: 0, over: 0, limit: 1000 };
  const drifting: AccountDayFacts = { ...facts, counter, counterAfter: counter, ledger: undefined };
  const part = reconciliationPart(reportOf(aRun, [drifting, factsOf({ accountId: 'b' })]));
  expect(readRows(part).slice(0, 2)).toEqual([
    ['Account', 'Figure', 'Counter', 'Events', 'Ledger'],
    ['acme UTC', 'Granted cost', '9', '7', 'not read'],
  ]);
  expect(readRows(part)).toHaveLength(2);
  expect(readText(part)).toContain('Counter, events and ledger agree 1 account Drift 1 account Not compared');
});

test('what is missing is told by name', () => {
  const facts = factsOf({ chunks: [{ chunk: 2, chunks: 5, granted: { count: 1, cost: 7 } }] });
  const stuck = factsOf({ accountId: 'b', chunks: [{}] });
  const accepting = { ...stuck, headers: stuck.headers.map((one) => ({ ...one, status: 'accepting' as const })) };
  const headless = { ...factsOf({ accountId: 'c', chunks: [{}] }), headers: [] };
  const rows = readRows(reconciliationPart(reportOf(aRun, [facts, accepting, headless])));
  expect(rows.slice(1)).toEqual([
    ['acme', 'bk_a', '4 chunks: 0-1,3-4'],
    ['b', 'bk_a', 'not accepted yet; it can still be resumed'],
    ['c', 'bk_a', 'its header: events name it, the store does not'],
  ]);
});

test('late and repeated events are counted, and late ones named', () => {
  const late = { eventId: 'bk_a#0#usage', receivedAt: '2026-11-30T00:30:00.000Z' };
  const part = eventsPart(reportOf(aRun, [factsOf({}, { repeats: 1, lateEvents: [late] })]));
  expect(readText(part)).toContain('1 event came after the window closed');
  expect(readText(part)).toContain('1 delivery repeated an event');
  expect(readRows(part)[1]).toEqual(['acme', 'bk_a#0#usage', '30 Nov 00:30 UTC']);
});

test('the definitions tell the times by which a report is complete and final', () => {
  const text = readText(definitionsPart(reportOf(aRun, [])));
  expect(text).toContain('The day is over for 15 min and nothing of it is missing.');
  expect(text).toContain('72 hours after the day’s end.');
});

test('of accounts that used the same, the one with more reservations is busier, then the first by id', () => {
  const of = (accountId: string, count: number) =>
    factsOf({
      accountId,
      chunks: [{ granted: { count: 1, cost: 5 }, byReason: { exceeds_limit: { count, cost: 99 } } }],
    });
  const { accounts } = reportOf(aRun, [of('c', 1), of('b', 1), of('a', 1), of('z', 2)]);
  expect(byUsage(accounts).map(({ accountId }) => accountId)).toEqual(['z', 'a', 'b', 'c']);
});

test('the data of the page have the limits of an account from the second on', () => {
  const limits = [10, 20].map((limit, chunk) => ({ chunk, limit, decidedAt: `2026-11-29T0${chunk}:00:00.000Z` }));
  const instants = limits.map(({ decidedAt, limit }) => [Date.parse(decidedAt) / 1000, limit]);
  const json = (count: number) =>
    pageDataOf(reportOf(aRun, [factsOf({ chunks: limits.slice(0, count) })]), 100_000).json;
  expect(json(2)).toContain(JSON.stringify(instants));
  expect(json(1)).not.toContain(JSON.stringify(instants.slice(0, 1)));
});
