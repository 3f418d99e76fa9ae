import { expect, test } from 'vitest';
import { aRun, date, factsOf } from '../testing/facts.ts';
import { ForeignDayError, newReport, reportOf } from './day-report.ts';
import { closingGraceMs, FinalReportError, finalAfterMs, leastState, stateOf } from './state.ts';

const resetsAtMs = Date.parse('2026-11-30T00:00:00.000Z');

test.each([
  [-1, 0, 'provisional'],
  [closingGraceMs - 1, 0, 'provisional'],
  [closingGraceMs, 0, 'complete'],
  [closingGraceMs, 1, 'provisional'],
  [finalAfterMs - 1, 1, 'provisional'],
  [finalAfterMs - 1, 0, 'complete'],
  [finalAfterMs, 0, 'final'],
  [finalAfterMs, 1, 'final'],
])('%i ms after the day, with %i missing, a report is %s', (afterMs, missing, state) => {
  expect(stateOf({ resetsAtMs, nowMs: resetsAtMs + afterMs, missing })).toBe(state);
});

test('a final report is not written again', () => {
  expect(() => newReport({ ...aRun, previous: { state: 'final' } })).toThrow(FinalReportError);
  const again = newReport({ ...aRun, run: 2, previous: { state: 'complete', eventId: 'report-1' } }).finish();
  expect([again.run, again.supersedes]).toEqual([2, 'report-1']);
});

test('a report over all zones is as far as the last of them', () => {
  expect(leastState(['final', 'complete'])).toBe('complete');
  const accounts = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'].map((timezone) =>
    factsOf({ accountId: timezone, timezone }),
  );
  // The day is over in Kiritimati, at UTC+14, for a day and an hour when it ends in Pago Pago, at UTC−11.
  const report = reportOf({ ...aRun, timezone: 'all', nowMs: Date.parse('2026-11-30T05:00:00.000Z') }, accounts);
  expect(report.zones.map(({ timezone, state }) => [timezone, state])).toEqual([
    ['Pacific/Kiritimati', 'complete'],
    ['Pacific/Pago_Pago', 'provisional'],
  ]);
  expect(report.state).toBe('provisional');
  expect(report.bounds).toEqual({
    startsAt: '2026-11-28T10:00:00.000Z',
    resetsAt: '2026-11-30T11:00:00.000Z',
    finalAt: '2026-12-03T11:00:00.000Z',
  });
});

test('a report takes no account-day of another day or zone', () => {
  expect(() => reportOf(aRun, [factsOf({ date: '2026-11-28' })])).toThrow(ForeignDayError);
  expect(() => reportOf(aRun, [factsOf({ timezone: 'Europe/Berlin' })])).toThrow(ForeignDayError);
});

test('a day without accounts has the bounds of its zone', () => {
  expect(reportOf({ ...aRun, timezone: 'Europe/Berlin' }, []).bounds.startsAt).toBe('2026-11-28T23:00:00.000Z');
  expect(reportOf({ ...aRun, timezone: 'all' }, [])).toMatchObject({
    bounds: { startsAt: `${date}T00:00:00.000Z` },
    state: 'complete',
  });
});
