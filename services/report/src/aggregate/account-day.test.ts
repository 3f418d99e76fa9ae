import { windowOn } from '@usher/limiter-core/bulk';
import { expect, test } from 'vitest';
import type { AccountDayFacts } from '../model/facts.ts';
import type { AccountReport } from '../model/report.ts';
import { aRun, date, factsOf, quarantineEvent, type ToldAccount, usageEvent } from '../testing/facts.ts';
import { type Run, reportOf } from './day-report.ts';

function accountOf(told: ToldAccount, more: Partial<AccountDayFacts> = {}, run: Partial<Run> = {}): AccountReport {
  const facts = factsOf(told, more);
  const [account] = reportOf({ ...aRun, date: facts.date, timezone: facts.timezone, ...run }, [facts]).accounts;
  if (account === undefined) throw new Error('no account');
  return account;
}

const noon = `${date}T12:00:00.000Z`;

test('an account without any event is reported with zeros, and with the limit of its policy', () => {
  expect(accountOf({})).toMatchObject({
    accountId: 'acme',
    limit: 1000,
    limits: [],
    used: 0,
    granted: 0,
    rejected: 0,
    bookings: 0,
    hours: [],
    latency: null,
    peakHour: null,
    firstRefusalAt: null,
    shareOfLimit: 0,
    complete: true,
    reconciliation: { state: 'agrees', differences: [] },
  });
});

test('granted and refused rows are counted with their cost and by reason', () => {
  const chunks = [
    { bookingId: 'a', granted: { count: 3, cost: 7 }, byReason: { daily_quota_exceeded: { count: 1, cost: 2 } } },
    {
      bookingId: 'b',
      byReason: { daily_quota_exceeded: { count: 2, cost: 5 }, exceeds_limit: { count: 1, cost: 2000 } },
    },
  ];
  expect(accountOf({ chunks })).toMatchObject({
    granted: 3,
    grantedCost: 7,
    rejected: 4,
    rejectedCost: 2007,
    rejectedByReason: { daily_quota_exceeded: { count: 3, cost: 7 }, exceeds_limit: { count: 1, cost: 2000 } },
    wouldReject: 0,
    bookings: 2,
    chunks: 2,
  });
});

test('refusals that observe mode granted are apart, but a full backlog refuses in observe mode too', () => {
  const byReason = { exceeds_limit: { count: 1, cost: 30 }, pacing_backlog_full: { count: 2, cost: 4 } };
  const account = accountOf({ chunks: [{ mode: 'observe', granted: { count: 5, cost: 50 }, byReason }] });
  expect(account).toMatchObject({
    mode: 'observe',
    granted: 5,
    rejected: 2,
    rejectedCost: 4,
    rejectedByReason: { pacing_backlog_full: { count: 2, cost: 4 } },
    wouldReject: 1,
    wouldRejectCost: 30,
    wouldRejectByReason: { exceeds_limit: { count: 1, cost: 30 } },
    reconciliation: { state: 'agrees' },
  });
});

test('limits are told from the decision on that first went by each, and the last one is the limit', () => {
  const at = (hour: string) => `${date}T${hour}:00:00.000Z`;
  const chunks = [
    { chunk: 2, limit: 300, decidedAt: at('15') },
    { chunk: 0, limit: 200, decidedAt: at('09') },
    { chunk: 3, limit: 200, decidedAt: at('18'), granted: { count: 1, cost: 150 } },
    { chunk: 1, limit: 200, decidedAt: at('10') },
  ];
  expect(accountOf({ chunks })).toMatchObject({
    limit: 200,
    limits: [
      { from: at('09'), limit: 200 },
      { from: at('15'), limit: 300 },
      { from: at('18'), limit: 200 },
    ],
    shareOfLimit: 0.75,
  });
});

test('hours are those of acceptance, not of the decision, and the peak is the first of equal ones', () => {
  const chunks = [
    {
      chunk: 0,
      acceptedAt: `${date}T09:59:59.999Z`,
      decidedAt: `${date}T10:00:05.000Z`,
      granted: { count: 1, cost: 4 },
    },
    { chunk: 1, acceptedAt: noon, granted: { count: 1, cost: 4 } },
  ];
  const account = accountOf({ chunks });
  expect(account.hours.map(({ hour, grantedCost }) => [hour, grantedCost])).toEqual([
    ['09:00+00:00', 4],
    ['12:00+00:00', 4],
  ]);
  expect(account.peakHour).toEqual({ hour: '09:00+00:00', grantedCost: 4 });
  expect(account.latency).toEqual({ chunks: 2, p50Ms: 0, p95Ms: 5001 });
});

test.each([
  ['2026-10-25', '2026-10-25T00:30:00.000Z', '02:00+02:00'],
  ['2026-10-25', '2026-10-25T01:30:00.000Z', '02:00+01:00'],
  ['2026-03-29', '2026-03-29T01:30:00.000Z', '03:00+02:00'],
])('on %s in Berlin what was accepted at %s is of the hour %s', (day, acceptedAt, hour) => {
  const { hours } = accountOf(
    { date: day, timezone: 'Europe/Berlin', chunks: [{ acceptedAt }] },
    {},
    {
      nowMs: Date.parse('2026-12-01T00:00:00.000Z'),
    },
  );
  expect(hours.map((one) => one.hour)).toEqual([hour]);
});

test('the first refusal is the earliest decision that refused', () => {
  const byReason = { daily_quota_exceeded: { count: 1, cost: 1 } };
  const chunks = [
    { chunk: 0, decidedAt: `${date}T14:00:00.000Z`, byReason },
    { chunk: 1, decidedAt: `${date}T13:00:00.000Z`, byReason },
    { chunk: 2, decidedAt: `${date}T12:00:00.000Z` },
    { chunk: 3, decidedAt: `${date}T11:00:00.000Z`, mode: 'observe' as const, byReason },
  ];
  expect(accountOf({ chunks }).firstRefusalAt).toBe(`${date}T13:00:00.000Z`);
});

test('repeats within the lists and those told besides are counted, and change nothing else', () => {
  const once = factsOf({ chunks: [{ granted: { count: 1, cost: 5 } }] });
  const [event] = once.usageEvents;
  const quarantineEvents = [quarantineEvent('m'), quarantineEvent('m')];
  const usageEvents = event === undefined ? [] : [event, event, structuredClone(event)];
  const account = accountOf({}, { ...once, usageEvents, quarantineEvents, repeats: 4 });
  expect(account).toMatchObject({ granted: 1, grantedCost: 5, quarantined: 1, repeats: 7 });
});

test('where zones changed, the day spans both windows, and every event counts', () => {
  const berlin = windowOn(date, 'Europe/Berlin');
  const facts = factsOf({ timezone: 'America/New_York', chunks: [{ granted: { count: 1, cost: 2 } }] });
  const earlier = usageEvent({ bookingId: 'bk_b', granted: { count: 1, cost: 3 } }, berlin);
  const account = accountOf({}, { ...facts, usageEvents: [...facts.usageEvents, earlier] });
  expect(account).toMatchObject({ startsAt: berlin.startsAt, resetsAt: facts.window.resetsAt, granted: 2 });
  expect(account.hours.reduce((sum, { grantedCost }) => sum + grantedCost, 0)).toBe(5);
});

test('usage is that of the counter; without one, the sum of the events', () => {
  const chunks = [{ granted: { count: 1, cost: 5 } }];
  expect(accountOf({ chunks }, { counter: { used: 9, rejected: 0, over: 0, limit: 50 } }).used).toBe(9);
  expect(accountOf({ chunks }, { counter: undefined, counterAfter: undefined }).used).toBe(5);
});

test('a limit of 0 has no share', () => {
  expect(accountOf({ chunks: [{ limit: 0 }] })).toMatchObject({ limit: 0, shareOfLimit: null });
});

test("without any event the limit is that of the counter, by which something was decided, and then the policy's", () => {
  const counter = { used: 9, rejected: 0, over: 0, limit: 50 };
  expect(accountOf({}, { counter, counterAfter: counter })).toMatchObject({ limit: 50, limits: [], used: 9 });
  expect(accountOf({}, { counter: { ...counter, limit: null } }).limit).toBe(1000);
  expect(accountOf({}, { counter: undefined, counterAfter: undefined, policy: undefined })).toMatchObject({
    limit: null,
    shareOfLimit: null,
    mode: null,
  });
});

test('of decisions at one instant the order is the same whichever comes first: the last limit is the highest, the last mode that of the last id', () => {
  const told = [
    { chunk: 0, limit: 300, mode: 'observe' as const },
    { chunk: 1, limit: 200, mode: 'enforce' as const },
  ];
  for (const chunks of [told, told.toReversed()]) {
    const account = accountOf({ chunks });
    expect(account).toMatchObject({ limit: 300, mode: 'enforce' });
    expect(account.limits.map(({ limit }) => limit)).toEqual([200, 300]);
  }
});

test('an event of a window that ends later, of which no booking is known, widens the day', () => {
  const later = windowOn(date, 'America/New_York');
  const usageEvents = [usageEvent({ acceptedAt: '2026-11-30T04:00:00.000Z', granted: { count: 1, cost: 2 } }, later)];
  const account = accountOf({ timezone: 'UTC' }, { usageEvents });
  expect(account.resetsAt).toBe(later.resetsAt);
  expect(account.hours).toMatchObject([{ hour: '04:00+00:00', grantedCost: 2 }]);
});

test('sums are exact up to the largest whole number that a double holds', () => {
  const chunks = [
    { chunk: 0, granted: { count: 1, cost: Number.MAX_SAFE_INTEGER - 1 } },
    { chunk: 1, granted: { count: 1, cost: 1 } },
  ];
  expect(accountOf({ chunks })).toMatchObject({
    grantedCost: Number.MAX_SAFE_INTEGER,
    reconciliation: { state: 'agrees' },
  });
});
