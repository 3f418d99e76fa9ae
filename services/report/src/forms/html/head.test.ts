import { expect, test } from 'vitest';
import { type Run, reportOf } from '../../aggregate/day-report.ts';
import { dayBefore } from '../../aggregate/week-before.ts';
import { aRun, factsOf, quarantineEvent } from '../../testing/facts.ts';
import { readText } from '../../testing/html-text.ts';
import { bandPart, figuresPart, pacePart, titlePart } from './head.ts';

const lookedAt = '2026-11-30T00:59:30.000Z';
const decided = { granted: { count: 1, cost: 2 } };
const bandOf = (run: Partial<Run>, ...accounts: Parameters<typeof reportOf>[1][]): string =>
  readText(
    bandPart(
      reportOf(
        { ...aRun, ...run },
        accounts.flatMap((some) => [...some]),
      ),
    ),
  );
const whatToDo = 'What to do: docs/runbook.md, “A report needs an operator”.';

test('the red band names a dead letter, and its queue; without any there is no band', () => {
  const letters = (messages: number) => ({ deadLetters: [{ queue: 'bookings', messages, lookedAt }] });
  expect(bandOf(letters(0))).toBe('');
  expect(bandOf(letters(1))).toBe(`Needs an operator 1 dead letter in bookings at 30 Nov 00:59:30 UTC . ${whatToDo}`);
});

test('dead letters that name an account are told where no queue was looked at, and once where one was', () => {
  const named = [factsOf({}, { deadLetters: 2 })];
  expect(bandOf({}, named)).toBe(`Needs an operator 2 dead letters that name an account. ${whatToDo}`);
  expect(bandOf({ deadLetters: [{ queue: 'bookings', messages: 2, lookedAt }] }, named)).toBe(
    `Needs an operator 2 dead letters in bookings at 30 Nov 00:59:30 UTC . ${whatToDo}`,
  );
});

test('the red band counts what is missing by its kind, and the accounts that drift', () => {
  const whole = factsOf({ chunks: [decided, { ...decided, chunk: 1 }] });
  const drifting = { ...whole, usageEvents: whole.usageEvents.slice(1) };
  const accepting = factsOf({ accountId: 'b', chunks: [{ ...decided, bookingId: 'bk_b' }] });
  const stuck = { ...accepting, headers: accepting.headers.map((one) => ({ ...one, status: 'accepting' as const })) };
  const headless = { ...factsOf({ accountId: 'c', chunks: [decided] }), headers: [] };
  expect(bandOf({}, [drifting])).toBe(
    `Needs an operator Drift in 1 account : counter, events and ledger differ. Missing: 1 chunk of 1 booking . ${whatToDo}`,
  );
  expect(bandOf({}, [drifting, stuck, headless])).toContain(
    'Missing: 1 chunk of 1 booking, 1 booking not accepted yet, 1 header .',
  );
  expect(bandOf({}, [stuck])).toBe(`Needs an operator Missing: 1 booking not accepted yet . ${whatToDo}`);
});

test('each of the five figures is compared with its own of the same weekday before', () => {
  const before = reportOf({ ...aRun, date: '2026-11-22' }, [
    factsOf({ date: '2026-11-22', chunks: [{ granted: { count: 4, cost: 20 }, byReason: refused(2) }] }),
    factsOf({ date: '2026-11-22', accountId: 'b', chunks: [{ granted: { count: 4, cost: 20 } }] }),
  ]);
  const now = reportOf({ ...aRun, weekBefore: dayBefore(before) }, [
    factsOf({
      chunks: [
        { granted: { count: 6, cost: 10 }, byReason: refused(3) },
        { bookingId: 'bk_b', granted: { count: 6, cost: 20 } },
      ],
    }),
  ]);
  expect(readText(figuresPart(now))).toBe(
    'Quota used (cost) 30 ▼ down 25.0 % from 40 Reservations granted 12 ▲ up 50.0 % from 8 ' +
      'Reservations refused 3 ▲ up 50.0 % from 2 Bookings 2 unchanged from 2 Active accounts 1 ▼ down 50.0 % from 2 ' +
      'Changes against Sunday 22 November, the same weekday before.',
  );
});

function refused(count: number) {
  return { daily_quota_exceeded: { count, cost: 7 * count } };
}

test('latency, backlog, dead letters and quarantine are told, with the instant looked at', () => {
  const after = (ms: number, chunk: number) => ({
    ...decided,
    chunk,
    acceptedAt: '2026-11-29T12:00:00.000Z',
    decidedAt: `2026-11-29T12:00:00.${ms}Z`,
  });
  const facts = factsOf(
    { chunks: [after(100, 0), after(200, 1), after(900, 2)] },
    {
      backlog: { cost: 40, clearsAt: '2026-11-30T02:00:00.000Z', lookedAt },
      quarantineEvents: [quarantineEvent('m', { reason: 'too_old' })],
    },
  );
  const report = reportOf({ ...aRun, deadLetters: [{ queue: 'q', messages: 3, lookedAt }] }, [facts]);
  expect(readText(pacePart(report))).toBe(
    'From acceptance to decision Median 200 ms 95th percentile 900 ms Chunks decided 3 Missing nothing ' +
      'Waiting and put aside Hand-off backlog cost 40, at 30 Nov 00:59:30 UTC ; the last is due 30 Nov 02:00 UTC ' +
      'Dead letters q : 3 , at 30 Nov 00:59:30 UTC Quarantined 1 message: too old 1',
  );
});

test('the title has state, run, bounds and the report that it supersedes', () => {
  const run = { ...aRun, run: 2, previous: { state: 'provisional', eventId: '2026-11-29#UTC#report#1' } } as const;
  expect(readText(titlePart(reportOf(run, [])))).toBe(
    'Daily quota report Sunday 29 November 2026, UTC State Complete – nothing of the day is undecided ' +
      'Run 2, at 30 Nov 01:00 UTC Day 29 Nov 00:00 UTC to 30 Nov 00:00 UTC Final from 3 Dec 00:00 UTC ' +
      'Supersedes 2026-11-29#UTC#report#1',
  );
});
