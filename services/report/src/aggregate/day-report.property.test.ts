import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { addByReason, addFigures, type ByReason, type Figures, figuresOf, noFigures } from '../model/figures.ts';
import { DayReport, type HourFigures } from '../model/report.ts';
import { accountDays } from '../testing/arbitraries.ts';
import { aRun, quarantineEvent } from '../testing/facts.ts';
import { reportOf } from './day-report.ts';
import { dayBefore } from './week-before.ts';

const timezones = ['Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'America/Los_Angeles'];
const run = { ...aRun, timezone: 'all', nowMs: Date.parse('2026-12-01T00:00:00.000Z') };

const sumOf = (all: readonly Figures[]): Figures => {
  const sum = noFigures();
  for (const figures of all) addFigures(sum, figures);
  return sum;
};
const reasonSumOf = (all: readonly ByReason[]): ByReason => {
  const sum = {};
  for (const one of all) addByReason(sum, one);
  return sum;
};
const hourSum = ({ hours }: { readonly hours: readonly HourFigures[] }): Figures => sumOf(hours);

test('totals are the sums of the accounts, and of the zones', () => {
  fc.assert(
    fc.property(accountDays(timezones), (facts) => {
      const { totals, zones, accounts } = reportOf(run, facts);
      expect(figuresOf(totals)).toEqual(sumOf(accounts));
      expect(figuresOf(totals)).toEqual(sumOf(zones));
      expect(totals.rejectedByReason).toEqual(reasonSumOf(accounts.map((one) => one.rejectedByReason)));
      expect(totals.wouldRejectByReason).toEqual(reasonSumOf(accounts.map((one) => one.wouldRejectByReason)));
      for (const name of ['used', 'bookings', 'chunks', 'quarantined', 'late', 'repeats'] as const) {
        expect([name, totals[name]]).toEqual([name, accounts.reduce((sum, account) => sum + account[name], 0)]);
        expect([name, totals[name]]).toEqual([name, zones.reduce((sum, zone) => sum + zone[name], 0)]);
      }
      expect(zones.reduce((sum, zone) => sum + zone.accounts, 0)).toBe(accounts.length);
    }),
  );
});

test('the hours of a day sum to the day, and its reasons to what was refused', () => {
  fc.assert(
    fc.property(accountDays(timezones), (facts) => {
      const report = reportOf(run, facts);
      for (const part of [report.totals, ...report.zones, ...report.accounts]) {
        expect(hourSum(part)).toEqual(figuresOf(part));
        const held = Object.values(part.rejectedByReason);
        expect(held.reduce((sum, { count }) => sum + count, 0)).toBe(part.rejected);
        expect(held.reduce((sum, { cost }) => sum + cost, 0)).toBe(part.rejectedCost);
      }
    }),
  );
});

test('the order of accounts and events changes nothing', () => {
  const shuffled = accountDays(timezones).chain((facts) =>
    fc.record({
      facts: fc.constant(facts),
      other: fc
        .shuffledSubarray(facts, { minLength: facts.length })
        .map((all) =>
          all.map((one) => ({ ...one, usageEvents: one.usageEvents.toReversed(), headers: one.headers.toReversed() })),
        ),
    }),
  );
  fc.assert(
    fc.property(shuffled, ({ facts, other }) => {
      expect(reportOf(run, other)).toEqual(reportOf(run, facts));
    }),
  );
});

test('a repeated event changes nothing but the count of repeats', () => {
  fc.assert(
    fc.property(accountDays(timezones), fc.integer({ min: 1, max: 3 }), (facts, times) => {
      const doubled = facts.map((one) => ({
        ...one,
        usageEvents: [
          ...one.usageEvents,
          ...Array.from({ length: times }, () => structuredClone(one.usageEvents)).flat(),
        ],
      }));
      const [once, again] = [reportOf(run, facts), reportOf(run, doubled)];
      expect(again.totals.repeats).toBe(times * once.totals.chunks);
      const bare = (report: DayReport): unknown =>
        JSON.parse(JSON.stringify(report), (key, value: unknown) => (key === 'repeats' ? undefined : value));
      expect(bare(again)).toEqual(bare(once));
    }),
  );
});

test('a deleted event shows as drift, where it had cost, and always as missing', () => {
  fc.assert(
    fc.property(accountDays(timezones), fc.nat(), (facts, pick) => {
      const at = facts.findIndex(({ usageEvents }) => usageEvents.length > 0);
      const account = facts[at];
      fc.pre(account !== undefined);
      const deleted = account.usageEvents[pick % account.usageEvents.length];
      const without = facts.with(at, { ...account, usageEvents: account.usageEvents.filter((one) => one !== deleted) });
      const [whole, report] = [reportOf(run, facts), reportOf(run, without)];
      expect([whole.state, whole.missing, whole.reconciliation.drift]).toEqual(['complete', [], 0]);
      expect(report.state).toBe('provisional');
      expect(report.missing.map(({ bookingId, kind, count }) => [bookingId, kind, count])).toEqual([
        [deleted?.data.bookingId, 'chunks', 1],
      ]);
      const hasCost =
        deleted !== undefined && (deleted.data.granted.cost > 0 || deleted.data.rejected.byReason !== undefined);
      const hadCost = hasCost && JSON.stringify(deleted.data).match(/"cost":[1-9]/) !== null;
      expect(report.reconciliation.drift).toBe(hadCost ? 1 : 0);
      expect(report.attention[0]?.accountId).toBe(account.accountId);
    }),
  );
});

test('every report keeps its own schema', () => {
  fc.assert(
    fc.property(accountDays(timezones), accountDays(timezones, '2026-11-22'), (facts, before) => {
      const weekBefore = dayBefore(reportOf({ ...run, date: '2026-11-22' }, before));
      const nobodys = [quarantineEvent('m', { reason: 'too_old' })];
      const report = reportOf({ ...run, weekBefore }, facts, nobodys);
      expect(DayReport(report)).toBe(report);
      expect(report.totals.quarantinedByReason).toEqual({ too_old: 1 });
    }),
  );
});

test('each account is compared with itself, in its own zone, a week before', () => {
  fc.assert(
    fc.property(accountDays(['UTC']), (facts) => {
      const utc = { ...run, timezone: 'UTC' };
      const before = reportOf(utc, facts);
      const report = reportOf({ ...utc, weekBefore: dayBefore(before) }, facts);
      for (const { weekBefore, used, granted, rejected, bookings } of report.accounts) {
        expect(weekBefore).toEqual({ used, granted, rejected, bookings });
      }
      expect(report.totals.weekBefore?.used).toBe(before.totals.used);
    }),
  );
});
