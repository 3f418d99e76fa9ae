import { beforeEach, describe, expect, test } from 'vitest';
import { type DayRuns, noRuns, type Runs } from './runs.ts';

const day = { date: '2026-11-29', timezone: 'Europe/Berlin' };
const begun = {
  run: 1,
  nowMs: 5,
  attempt: 'a-1',
  leaseUntilMs: 9,
  deadLetters: [{ queue: 'dead', messages: 2, lookedAt: '2026-11-30T00:15:00.000Z' }],
};
const sealed = {
  run: 1,
  nowMs: 5,
  state: 'complete' as const,
  resetsAtMs: 4,
  folder: '2026-11-29/Europe/Berlin/run-1',
  files: [{ name: '2026-11-29/Europe/Berlin/run-1/report.json', bytes: 3, sha256: '0'.repeat(64) }],
  totals: {
    accounts: 1,
    granted: { count: 1, cost: 2 },
    rejected: { count: 1, cost: 3, byReason: { daily_quota_exceeded: { count: 1, cost: 3 } } },
  },
  digest: 'd',
  isPublished: false,
};

/**
 * Registers the tests that every {@link Runs} must pass (vitest).
 *
 * @param start makes an empty store; called before each test
 */
export function runsContract(name: string, start: () => Promise<Runs>): void {
  describe(`${name} keeps the contract of runs`, () => {
    let runs: Runs;
    beforeEach(async () => {
      runs = await start();
    });

    test('a day without runs has none, and is not stored by reading it', async () => {
      expect(await runs.read(day)).toEqual(noRuns(day));
      expect(await runs.ofDate(day.date)).toEqual([]);
    });

    test('what is written is read, by day and by date', async () => {
      const first: DayRuns = { ...noRuns(day), begun };
      expect(await runs.write(first)).toBe(true);
      expect(await runs.read(day)).toEqual({ ...first, rev: 1 });
      const second: DayRuns = { ...day, rev: 1, sealed, lookedAtMs: 5 };
      expect(await runs.write(second)).toBe(true);
      expect(await runs.read(day)).toEqual({ ...second, rev: 2 });
      await runs.write(noRuns({ ...day, date: '2026-11-30' }));
      expect(await runs.ofDate(day.date)).toEqual([{ ...second, rev: 2 }]);
    });

    test('a write on what somebody else changed since is refused and changes nothing', async () => {
      await runs.write({ ...noRuns(day), begun });
      expect(await runs.write({ ...noRuns(day), begun: { ...begun, attempt: 'a-2' } })).toBe(false);
      await runs.write({ ...noRuns(day), rev: 1, lookedAtMs: 7 });
      expect(await runs.write({ ...noRuns(day), rev: 1, lookedAtMs: 8 })).toBe(false);
      expect(await runs.read(day)).toEqual({ ...noRuns(day), rev: 2, lookedAtMs: 7 });
    });

    test('of two writes at once on the same, one holds', async () => {
      for (const rev of [0, 1]) {
        const answers = await Promise.all([7, 8].map((lookedAtMs) => runs.write({ ...noRuns(day), rev, lookedAtMs })));
        expect(answers.toSorted()).toEqual([false, true]);
        const lookedAtMs = answers[0] ? 7 : 8;
        expect(await runs.read(day)).toEqual({ ...noRuns(day), rev: rev + 1, lookedAtMs });
      }
    });

    test('the point that closers have come to is kept', async () => {
      expect(await runs.progress()).toBeUndefined();
      const first = { finalThrough: '2026-11-28', marksThroughMs: 0, monthsThrough: '2026-09', begunAtMs: 5 };
      const last = { ...first, finalThrough: '2026-11-29', marksThroughMs: 7, monthsThrough: '2026-10' };
      await runs.setProgress(first);
      await runs.setProgress(last);
      expect(await runs.progress()).toEqual(last);
    });

    describe('of corrections', () => {
      const file = { ...day, number: 1, path: '2026-11-29/Europe/Berlin/corrections-1-a.json' };

      test('those of a zone are read, of each day in order', async () => {
        const second = { ...file, number: 2, path: '2026-11-29/Europe/Berlin/corrections-2-a.json' };
        const tenth = { ...file, number: 10, path: '2026-11-29/Europe/Berlin/corrections-10-a.json' };
        for (const one of [file, second, tenth]) expect(await runs.addCorrection(one)).toBe(true);
        await runs.addCorrection({ ...file, timezone: 'UTC', path: '2026-11-29/UTC/corrections-1-a.json' });
        expect(await runs.corrections('Europe/Berlin')).toEqual([file, second, tenth]);
      });

      test('one that is noted is not noted again under its number, but a repeat of itself is', async () => {
        await runs.addCorrection(file);
        expect(await runs.addCorrection({ ...file, path: '2026-11-29/Europe/Berlin/corrections-1-b.json' })).toBe(
          false,
        );
        expect(await runs.addCorrection(file)).toBe(true);
        expect(await runs.corrections('Europe/Berlin')).toEqual([file]);
      });

      test('one is carried by one day, however often that takes it', async () => {
        expect(await runs.carryCorrection(file, '2026-12-03')).toBe(false);
        await runs.addCorrection(file);
        expect(await runs.carryCorrection(file, '2026-12-03')).toBe(true);
        expect(await runs.carryCorrection(file, '2026-12-04')).toBe(false);
        expect(await runs.carryCorrection(file, '2026-12-03')).toBe(true);
        await runs.addCorrection(file);
        expect(await runs.corrections('Europe/Berlin')).toEqual([{ ...file, carriedBy: '2026-12-03' }]);
      });
    });
  });
}
