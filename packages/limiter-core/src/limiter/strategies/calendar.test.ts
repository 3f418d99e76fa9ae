import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, test } from 'vitest';
import { windowAt } from '../../bulk/window.ts';
import { type CalendarUnit, calendar } from './calendar.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Nights on which a zone's clocks did something to midnight, or to a whole day. */
const changes: readonly (readonly [timezone: string, date: string])[] = [
  ['America/Sao_Paulo', '2018-11-04'], // no midnight
  ['America/Sao_Paulo', '2018-02-18'], // 23:00 to midnight twice, by going back at midnight
  ['America/Havana', '2025-03-09'], // no midnight
  ['America/Havana', '2025-11-02'], // midnight twice
  ['Asia/Beirut', '2026-03-29'], // no midnight
  ['Asia/Beirut', '2026-10-25'], // back at midnight
  ['Africa/Cairo', '2026-04-24'],
  ['Africa/Cairo', '2026-10-30'],
  ['America/Asuncion', '2024-03-24'],
  ['America/Santiago', '2026-09-06'],
  ['America/Santiago', '2026-04-05'],
  ['Asia/Tehran', '2022-03-22'],
  ['Atlantic/Azores', '2026-10-25'], // midnight twice
  ['America/St_Johns', '2010-11-07'], // back by an hour a minute after midnight
  ['America/St_Johns', '2010-03-14'],
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['Australia/Lord_Howe', '2026-10-04'], // half an hour
  ['Antarctica/Troll', '2026-03-29'], // two hours
  ['Pacific/Apia', '2011-12-30'], // no such day
  ['Pacific/Kwajalein', '1993-08-21'], // no such day
  ['Asia/Pyongyang', '2018-05-05'], // half an hour, before midnight
  ['America/Caracas', '2007-12-09'],
  ['Africa/Casablanca', '2026-02-15'],
  ['Asia/Kathmandu', '1986-01-01'], // a quarter of an hour
  ['Africa/Monrovia', '1972-01-07'], // 44 minutes and 30 seconds
];

const units: readonly CalendarUnit[] = ['day', 'week', 'month'];

/** The span by Temporal. Of an hour that is there twice around midnight the second one is in the new span. */
function expectedSpan(unit: CalendarUnit, timezone: string, epochMs: number) {
  const date = Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timezone).toPlainDate();
  const first = { day: date, week: date.subtract({ days: date.dayOfWeek - 1 }), month: date.with({ day: 1 }) }[unit];
  const length = { day: { days: 1 }, week: { weeks: 1 }, month: { months: 1 } }[unit];
  const startOf = (day: Temporal.PlainDate): number => day.toZonedDateTime(timezone).epochMilliseconds;
  const next = first.add(length);
  return epochMs < startOf(next)
    ? { startMs: startOf(first), endMs: startOf(next) }
    : { startMs: startOf(next), endMs: startOf(next.add(length)) };
}

describe.each(units)('the %s of an instant is that of Temporal', (unit) => {
  test.each(changes)('around a change of clocks: %s on %s', (timezone, date) => {
    const spanAt = calendar(unit, timezone);
    const midnightMs = Date.parse(`${date}T00:00:00Z`);
    for (let ms = midnightMs - 2 * dayMs; ms <= midnightMs + 2 * dayMs; ms += 15 * minuteMs) {
      for (const epochMs of [ms - 1, ms]) {
        // The last span is remembered, and would answer for the next instant.
        spanAt(0);
        expect(spanAt(epochMs), new Date(epochMs).toISOString()).toEqual(expectedSpan(unit, timezone, epochMs));
      }
    }
  });

  test('in any zone and any year of this library', () => {
    const zones = fc.constantFrom('UTC', ...Intl.supportedValuesOf('timeZone'));
    const instants = fc.integer({ min: Date.UTC(1970, 0, 8), max: Date.UTC(2100, 0) });
    fc.assert(
      fc.property(zones, instants, (timezone, epochMs) => {
        const spanAt = calendar(unit, timezone);
        const span = expectedSpan(unit, timezone, epochMs);
        expect(spanAt(epochMs)).toEqual(span);
        // Its first and its last millisecond lie in it, its neighbours do not.
        expect(spanAt(span.startMs)).toEqual(span);
        expect(spanAt(span.endMs - 1)).toEqual(span);
        expect(spanAt(span.endMs).startMs).toBe(span.endMs);
        expect(spanAt(span.startMs - 1).endMs).toBe(span.startMs);
      }),
      { numRuns: 400 },
    );
  });
});

test('a day is the day that bulks are settled by', () => {
  const spanAt = calendar('day', 'America/Sao_Paulo');
  for (let ms = Date.UTC(2018, 9, 30); ms < Date.UTC(2018, 10, 10); ms += 3_599_000) {
    const { startsAt, resetsAt } = windowAt(ms, 'America/Sao_Paulo');
    expect(spanAt(ms)).toEqual({ startMs: Date.parse(startsAt), endMs: Date.parse(resetsAt) });
  }
});

test('an instant before 1970 has its day, too', () => {
  const epochMs = Date.UTC(1969, 11, 31, 12, 0, 0, 5);
  expect(calendar('day', 'UTC')(epochMs)).toEqual({ startMs: -dayMs, endMs: 0 });
});
