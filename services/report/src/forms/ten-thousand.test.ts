import { expect, test } from 'vitest';
import { reportOf } from '../aggregate/day-report.ts';
import type { AccountDayFacts } from '../model/facts.ts';
import { madeDay } from '../testing/made-day.ts';
import { sealOf } from './file.ts';
import { pageMaxBytes, reportPage } from './html/page.ts';
import { reportJson } from './report-json.ts';

const date = '2026-11-29';
const run = { date, timezone: 'UTC', run: 1, nowMs: Date.parse('2026-11-30T01:00:00.000Z') };
const accounts = 10_000;

test('ten thousand accounts are a page of at most five megabytes', () => {
  const report = reportOf(run, madeDay({ date, accounts, chunks: 40, timezones: ['UTC'], seed: 1, faulty: true }));
  expect(report.accounts).toHaveLength(accounts);
  const { bytes } = sealOf(reportPage(report));
  expect(bytes).toBeGreaterThan(500_000);
  expect(bytes).toBeLessThanOrEqual(pageMaxBytes);
});

test('also where every id is as long as can be, and every account has large figures in every hour', () => {
  const days = madeDay({ date, accounts: 24, chunks: 24, timezones: ['UTC'], seed: 1 });
  const [busy] = days;
  const facts = Array.from({ length: accounts }, (_, at) => largest(at, busy));
  const report = reportOf(run, facts);
  const { bytes } = sealOf(reportPage(report));
  expect(bytes).toBeLessThanOrEqual(pageMaxBytes);
  expect(bytes).toBeGreaterThan(pageMaxBytes * 0.8);
  // No piece of the large file is large.
  for (const piece of reportJson({ ...report, accounts: report.accounts.slice(0, 10) }).content) {
    expect(piece.length).toBeLessThan(100_000);
  }
});

/** An account whose every figure is as long as can be. */
function largest(at: number, facts: AccountDayFacts | undefined): AccountDayFacts {
  const [event] = facts?.usageEvents ?? [];
  if (facts === undefined || event === undefined) throw new Error('no day was made');
  const amount = { count: 99_999_999, cost: 99_999_999_999 };
  const byReason = { daily_quota_exceeded: amount, exceeds_limit: amount, pacing_backlog_full: amount };
  const usageEvents = Array.from({ length: 24 }, (_, hour) => {
    const acceptedAt = `${date}T${String(hour).padStart(2, '0')}:30:00.000Z`;
    const id = `${at}#${hour}`;
    return {
      metadata: { id },
      data: {
        ...event.data,
        bookingId: id,
        acceptedAt,
        decidedAt: acceptedAt,
        limit: 10 ** 10 + hour,
        granted: amount,
        rejected: { byReason },
      },
    };
  });
  return { ...facts, accountId: `${at}`.padStart(128, '|'), usageEvents, headers: [], ledger: undefined };
}
