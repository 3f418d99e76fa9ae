import { describe, expect, test } from 'vitest';
import { closingGraceMs, finalAfterMs } from '../aggregate/state.ts';
import { MemoryRuns } from '../store/memory-runs.ts';
import { type BegunRun, type DayRuns, noRuns, type SealedRun } from '../store/runs.ts';
import { TestReport } from '../testing/test-report.ts';
import { beginReports, isDue, isNewer, openDates, readMarks } from './due.ts';

const day = { date: '2026-11-29', timezone: 'UTC' };
const resetsAtMs = Date.parse('2026-11-30T00:00:00.000Z');
const lookedAtMs = resetsAtMs + closingGraceMs;

const sealed: SealedRun = {
  run: 1,
  nowMs: lookedAtMs,
  state: 'complete',
  resetsAtMs,
  folder: '2026-11-29/UTC/run-1',
  files: [],
  totals: { accounts: 0, granted: { count: 0, cost: 0 }, rejected: { count: 0, cost: 0, byReason: {} } },
  digest: '',
  isPublished: true,
};
const begun: BegunRun = { run: 1, nowMs: 0, attempt: 'a', leaseUntilMs: 0, deadLetters: [] };
const told: DayRuns = { ...day, rev: 2, sealed, lookedAtMs };

describe('a report is due', () => {
  const table: [name: string, runs: DayRuns, nowMs: number, hasChanged: boolean, isDue: boolean][] = [
    ['a moment before the grace is over', noRuns(day), lookedAtMs - 1, false, false],
    ['with the end of the grace', noRuns(day), lookedAtMs, false, true],
    ['not again where nothing has come', told, lookedAtMs + 900_000, false, false],
    ['again where an event came later', told, lookedAtMs + 900_000, true, true],
    ['at once where a run was begun', { ...noRuns(day), begun }, 0, false, true],
    ['at once where a run was not told', { ...told, sealed: { ...sealed, isPublished: false } }, 0, false, true],
    ['not before 72 hours are over', told, resetsAtMs + finalAfterMs - 1, false, false],
    ['after 72 hours, for the last time', told, resetsAtMs + finalAfterMs, false, true],
    ['never again once it is final', { ...told, sealed: { ...sealed, state: 'final' } }, resetsAtMs * 2, false, false],
  ];
  test.each(table)('%s', (_, runs, nowMs, hasChanged, expected) => {
    const changedAtMs = hasChanged ? lookedAtMs + 3_600_000 : 0;
    expect(isDue({ runs, resetsAtMs, changedAtMs }, nowMs)).toBe(expected);
  });

  test('again where its last zone had not ended yet, and once', () => {
    const later = { runs: told, resetsAtMs: resetsAtMs + 3_600_000, changedAtMs: 0 };
    expect([-1, 0].map((ms) => isDue(later, lookedAtMs + 3_600_000 + ms))).toEqual([false, true]);
    const runs = { ...told, lookedAtMs: lookedAtMs + 3_600_000 };
    expect(isDue({ ...later, runs }, lookedAtMs + 7_200_000)).toBe(false);
  });
});

test('a mark of a minute before the last look is looked at once more: clocks may differ', () => {
  expect([lookedAtMs - 60_000, lookedAtMs - 59_999, lookedAtMs].map((at) => isNewer(at, lookedAtMs))).toEqual([
    false,
    true,
    true,
  ]);
});

test('dates are open from the first end of their day on Earth on, and until all before them are final', () => {
  const dates = (nowMs: string): string[] => openDates({ finalThrough: '2026-11-27' }, Date.parse(nowMs));
  expect(dates('2026-11-29T09:59:59.999Z')).toEqual(['2026-11-28']);
  expect(dates('2026-11-29T10:00:00.000Z')).toEqual(['2026-11-28', '2026-11-29']);
  expect(openDates({ finalThrough: '2026-11-29' }, resetsAtMs)).toEqual([]);
});

test('the first closer begins with the dates that have not ended everywhere, and keeps to that', async () => {
  const runs = new MemoryRuns();
  const first = { finalThrough: '2026-11-28', marksThroughMs: 0, monthsThrough: '2026-10', begunAtMs: lookedAtMs };
  expect(await beginReports(runs, lookedAtMs)).toEqual(first);
  expect(await beginReports(runs, lookedAtMs * 2)).toEqual(first);
});

test('marks that were looked at cost no more reads, and those on bookings stand on their dates', async () => {
  const world = new TestReport();
  const [event] = await world.book();
  if (event?.detailType !== 'Quota Usage Recorded') throw new Error('no event');
  const { bookingId } = event.detail.data;
  await world.facts.noteLate([
    { date: day.date, storedAtMs: 100 },
    { accountId: 'acme', bookingId, storedAtMs: 5_000_000 },
    { accountId: 'rogue', bookingId, storedAtMs: 9_000_000 },
  ]);
  expect(await readMarks(world.ports(), { marksThroughMs: 4_000_000 })).toEqual(new Map([['2026-11-29', 5_000_000]]));
  expect(await readMarks(world.ports(), { marksThroughMs: 9_060_000 })).toEqual(new Map());
});
