import { expect, test } from 'vitest';
import type { DayReport } from '../model/report.ts';
import { aRun, date, factsOf } from '../testing/facts.ts';
import { correctionsOf } from './corrections.ts';
import { reportOf } from './day-report.ts';

const day = (nowMs: number, granted: Readonly<Record<string, number>>): DayReport =>
  reportOf(
    { ...aRun, nowMs },
    Object.entries(granted).map(([accountId, cost]) =>
      factsOf({ accountId, chunks: [{ granted: { count: 1, cost } }] }),
    ),
  );
const later = aRun.nowMs + 5 * 86_400_000;
const final = day(aRun.nowMs + 3 * 86_400_000, { acme: 5, beta: 7 });

const corrected = (of: Pick<Parameters<typeof correctionsOf>[0], 'earlier' | 'anew'>) =>
  correctionsOf({ final, isCounterKept: true, ...of });

test('a day that is as it was has no correction', () => {
  expect(corrected({ earlier: [], anew: day(later, { acme: 5, beta: 7 }) })).toEqual([]);
});

test('an account with other figures is corrected, also one that the final report did not know', () => {
  const corrections = corrected({ earlier: [], anew: day(later, { acme: 8, beta: 7, late: 2 }) });
  expect(corrections.map(({ accountId, before, after }) => [accountId, before.grantedCost, after.grantedCost])).toEqual(
    [
      ['acme', 5, 8],
      ['late', 0, 2],
    ],
  );
  expect(corrections[0]).toMatchObject({ date, timezone: 'UTC', foundAt: '2026-12-05T01:00:00.000Z' });
});

test('a correction begins where the last one ended, whatever the order they are given in', () => {
  const first = corrected({ earlier: [], anew: day(later, { acme: 8, beta: 7 }) });
  const second = corrected({ earlier: first, anew: day(later + 1, { acme: 9, beta: 7 }) });
  expect(second.map(({ before, after }) => [before.grantedCost, after.grantedCost])).toEqual([[8, 9]]);
  const all = [...second, ...first];
  expect(corrected({ earlier: all, anew: day(later + 2, { acme: 9, beta: 7 }) })).toEqual([]);
  // A correction of another day is none of this one.
  const other = second.map((one) => ({ ...one, date: '2026-11-01' }));
  expect(corrected({ earlier: other, anew: day(later, { acme: 5, beta: 7 }) })).toEqual([]);
});

test('once counters are gone, usage goes by the events only where they tell of more', () => {
  const day = (used: number, cost: number, isCounterKept = true) => {
    const counter = isCounterKept ? { used, rejected: 0, over: 0, limit: 1000 } : undefined;
    const more = { counter, counterAfter: counter };
    return reportOf({ ...aRun, nowMs: later }, [factsOf({ chunks: [{ granted: { count: 1, cost } }] }, more)]);
  };
  // An event was lost: the counter had 7, the events 4.
  const drifted = day(7, 4);
  const anew = (cost: number) =>
    correctionsOf({ final: drifted, earlier: [], anew: day(0, cost, false), isCounterKept: false });
  expect(anew(4)).toEqual([]);
  expect(anew(7)).toMatchObject([{ before: { used: 7, grantedCost: 4 }, after: { used: 7, grantedCost: 7 } }]);
  expect(anew(9)).toMatchObject([{ after: { used: 9, grantedCost: 9 } }]);
});
