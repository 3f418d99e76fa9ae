import { expect, test } from 'vitest';
import { aRun, factsOf, quarantineEvent } from '../testing/facts.ts';
import { reportOf } from './day-report.ts';
import { dayBefore } from './week-before.ts';

const byReason = { daily_quota_exceeded: { count: 1, cost: 2 } };

test('accounts are counted: all, those with a booking, and those with a refusal', () => {
  const accounts = [
    factsOf({ accountId: 'idle' }),
    factsOf({ accountId: 'fine', chunks: [{}] }),
    factsOf({ accountId: 'full', chunks: [{ byReason }] }),
    factsOf({ accountId: 'observed', chunks: [{ mode: 'observe', byReason }] }),
  ];
  expect(reportOf(aRun, accounts).totals).toMatchObject({ accounts: 4, activeAccounts: 3, refusedAccounts: 1 });
});

test('a backlog is told with the earliest instant looked at and the latest end', () => {
  const at = (minute: string) => `2026-11-30T00:${minute}:00.000Z`;
  const backlogs = [
    { cost: 5, clearsAt: at('40'), lookedAt: at('31') },
    { cost: 0, clearsAt: null, lookedAt: at('30') },
    { cost: 7, clearsAt: at('50'), lookedAt: at('32') },
  ];
  const accounts = backlogs.map((backlog, i) => factsOf({ accountId: `a${i}` }, { backlog }));
  const expected = { cost: 12, clearsAt: at('50'), lookedAt: at('30') };
  expect(reportOf(aRun, accounts).totals.backlog).toEqual(expected);
  expect(reportOf(aRun, accounts.toReversed()).totals.backlog).toEqual(expected);
  expect(reportOf(aRun, [factsOf({})]).totals.backlog).toBeNull();
});

test('quarantined messages are counted by reason, those of no account in the sum over all alone, once however often they came', () => {
  const facts = factsOf({}, { quarantineEvents: [quarantineEvent('a'), quarantineEvent('b', { reason: 'too_old' })] });
  const { totals, zones } = reportOf(aRun, [facts], [quarantineEvent('c'), quarantineEvent('c')]);
  expect([totals.quarantined, totals.quarantinedByReason]).toEqual([3, { invalid_message: 2, too_old: 1 }]);
  expect(zones[0]?.quarantined).toBe(2);
});

test('an account that is in two zones is compared with itself in each', () => {
  const run = { ...aRun, timezone: 'all' };
  const day = (costs: readonly number[]) =>
    ['Europe/Berlin', 'UTC'].map((timezone, at) =>
      factsOf({ timezone, chunks: [{ granted: { count: 1, cost: costs[at] ?? 0 } }] }),
    );
  const weekBefore = dayBefore(reportOf(run, day([3, 4])));
  const { accounts, zones } = reportOf({ ...run, weekBefore }, day([5, 6]));
  expect(accounts.map((account) => account.weekBefore?.used)).toEqual([3, 4]);
  expect(zones.map((zone) => zone.weekBefore?.used)).toEqual([3, 4]);
});

test('without a report of the week before nothing is compared', () => {
  const { totals, accounts } = reportOf(aRun, [factsOf({})]);
  expect([totals.weekBefore, accounts[0]?.weekBefore]).toEqual([null, null]);
});

test('of late events the first hundred are listed, each once, and all are counted', () => {
  const late = Array.from({ length: 101 }, (_, at) => ({
    eventId: `e-${String(at).padStart(3, '0')}`,
    receivedAt: '2026-11-30T00:30:00.000Z',
  }));
  const report = reportOf(aRun, [factsOf({}, { lateEvents: [...late, ...late].toReversed() })]);
  expect(report.totals.late).toBe(101);
  expect(report.lateEvents.map(({ eventId }) => eventId)).toEqual(late.slice(0, 100).map(({ eventId }) => eventId));
});
