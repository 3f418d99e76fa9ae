import { expect, test } from 'vitest';
import { reportOf } from '../aggregate/day-report.ts';
import type { AccountDayFacts } from '../model/facts.ts';
import { aRun, factsOf } from '../testing/facts.ts';
import { saidDigest } from './said.ts';

const lookedAt = '2026-11-30T01:00:00.000Z';
const backlog = { cost: 5, clearsAt: '2026-11-30T02:00:00.000Z', lookedAt };
const byReason = { exceeds_limit: { count: 1, cost: 3 } };

const digestOf = (run: Partial<typeof aRun> = {}, more: Partial<AccountDayFacts> = {}): string =>
  saidDigest(reportOf({ ...aRun, ...run }, [factsOf({ chunks: [{ byReason }] }, { backlog, ...more })]));

test('what is only another look says nothing new: its instant, its number, dead letters and backlog as looked at', () => {
  const before = digestOf();
  expect(digestOf({ run: 2, nowMs: aRun.nowMs + 1, previous: { state: 'complete', eventId: 'e' } })).toBe(before);
  expect(digestOf({ deadLetters: [{ queue: 'dead', messages: 3, lookedAt }] })).toBe(before);
  expect(digestOf({}, { backlog: { cost: 0, clearsAt: null, lookedAt } })).toBe(before);
});

test('everything else is news: a figure, a repeat, a correction, a state', () => {
  const figures = {
    used: 1,
    granted: 1,
    grantedCost: 1,
    rejected: 0,
    rejectedCost: 0,
    wouldReject: 0,
    wouldRejectCost: 0,
  };
  const correction = {
    date: '2026-11-20',
    timezone: 'UTC',
    accountId: 'acme',
    foundAt: lookedAt,
    before: figures,
    after: { ...figures, used: 2 },
  };
  const all = [
    digestOf(),
    digestOf({}, { usageEvents: [] }),
    digestOf({}, { repeats: 1 }),
    digestOf({ corrections: [correction] }),
    digestOf({ nowMs: Date.parse('2026-12-04T00:00:00.000Z') }),
    digestOf({ nowMs: Date.parse('2026-11-30T00:00:00.000Z') }),
  ];
  expect(new Set(all).size).toBe(all.length);
});
