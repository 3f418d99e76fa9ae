import { expect, test } from 'vitest';
import type { HeaderFact } from '../model/facts.ts';
import { aRun, date, factsOf, nowMs, quarantineEvent } from '../testing/facts.ts';
import { missingOf, rangesOf, resumableMs } from './completeness.ts';
import { reportOf } from './day-report.ts';
import { finalAfterMs } from './state.ts';

const header: HeaderFact = {
  bookingId: 'b1',
  acceptedAt: `${date}T10:00:00.000Z`,
  rows: 10,
  chunks: 5,
  status: 'accepted',
};
const account = { accountId: 'acme', timezone: 'UTC' };
const { usageEvents } = factsOf({
  chunks: [
    { bookingId: 'b1', chunk: 1 },
    { bookingId: 'b1', chunk: 2 },
  ],
});
const none = { usage: [], quarantined: [] };

test('chunks that are neither decided nor quarantined are missing, by booking and place', () => {
  const quarantined = [quarantineEvent('m', { bookingId: 'b1', chunk: 4 }), quarantineEvent('n')];
  expect(missingOf({ ...account, headers: [header] }, { usage: usageEvents, quarantined }, nowMs)).toEqual([
    { ...account, bookingId: 'b1', kind: 'chunks', chunks: '0,3', count: 2 },
  ]);
});

test('a booking that can still be resumed is missing until it is too old', () => {
  const accepting: HeaderFact = { ...header, status: 'accepting' };
  const acceptedAtMs = Date.parse(header.acceptedAt);
  const at = (ms: number) => missingOf({ ...account, headers: [accepting] }, none, ms);
  expect(at(acceptedAtMs + resumableMs - 1)).toEqual([{ ...account, bookingId: 'b1', kind: 'acceptance', count: 0 }]);
  expect(at(acceptedAtMs + resumableMs)).toEqual([]);
});

test('a booking that only events know is missing its header', () => {
  expect(missingOf({ ...account, headers: [] }, { ...none, usage: usageEvents }, nowMs)).toEqual([
    { ...account, bookingId: 'b1', kind: 'header', count: 0 },
  ]);
});

test('an account whose only booking is stuck holds back its day, though no event names it', () => {
  const stuck = factsOf({ accountId: 'stuck' }, { headers: [header] });
  const report = reportOf(aRun, [factsOf({ accountId: 'fine' }), stuck]);
  expect(report.state).toBe('provisional');
  expect(report.missing).toEqual([
    { accountId: 'stuck', timezone: 'UTC', bookingId: 'b1', kind: 'chunks', chunks: '0-4', count: 5 },
  ]);
  expect(report.accounts.map(({ accountId, complete }) => [accountId, complete])).toEqual([
    ['fine', true],
    ['stuck', false],
  ]);
  const final = reportOf({ ...aRun, nowMs: Date.parse(stuck.window.resetsAt) + finalAfterMs }, [stuck]);
  expect([final.state, final.missing.length]).toEqual(['final', 1]);
});

test.each([
  [[], ''],
  [[3], '3'],
  [[0, 1, 2, 3, 7], '0-3,7'],
  [[1, 3, 4], '1,3-4'],
])('%j are the ranges "%s"', (numbers, text) => {
  expect(rangesOf(numbers)).toBe(text);
});
