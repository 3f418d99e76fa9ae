import { newReport, reportOf } from '../aggregate/day-report.ts';
import { type DayBefore, dayBefore } from '../aggregate/week-before.ts';
import type { DayReport } from '../model/report.ts';
import { madeDay } from './made-day.ts';

/** A day as the pictures in the documents show it: 1,200 accounts of one zone, with everything that a page can tell. */
export function shownDay(accounts = 1200, timezone = 'Europe/Berlin'): DayReport {
  const day = { date: '2026-11-29', accounts, chunks: 60, timezones: [timezone], seed: 7 };
  const nowMs = Date.parse('2026-11-30T00:20:00.000Z');
  const before: DayBefore = dayBefore(
    reportOf({ date: '2026-11-22', timezone, run: 2, nowMs }, madeDay({ ...day, date: '2026-11-22', seed: 6 })),
  );
  const maker = newReport({
    date: day.date,
    timezone,
    run: 3,
    nowMs,
    previous: { state: 'provisional', eventId: `2026-11-29#${timezone}#report#2` },
    weekBefore: before,
    deadLetters: [
      { queue: 'bookings', messages: 3, lookedAt: '2026-11-30T00:19:58.120Z' },
      { queue: 'pacing', messages: 0, lookedAt: '2026-11-30T00:19:58.240Z' },
    ],
    corrections: [
      {
        date: '2026-11-24',
        timezone,
        accountId: 'fabrikam-air',
        foundAt: '2026-11-30T00:20:00.000Z',
        before: {
          used: 840,
          granted: 365,
          grantedCost: 840,
          rejected: 12,
          rejectedCost: 31,
          wouldReject: 0,
          wouldRejectCost: 0,
        },
        after: {
          used: 852,
          granted: 370,
          grantedCost: 852,
          rejected: 12,
          rejectedCost: 31,
          wouldReject: 0,
          wouldRejectCost: 0,
        },
      },
    ],
  });
  for (const facts of madeDay({ ...day, faulty: true })) maker.add(facts);
  return maker.finish();
}
