import fc from 'fast-check';
import { expect, test } from 'vitest';
import { windowAt, windowOn } from './window.ts';

const hourMs = 3_600_000;

const days: {
  story: string;
  at: string;
  timezone: string;
  date: string;
  startsAt: string;
  resetsAt: string;
  hours: number;
}[] = [
  {
    story: 'an ordinary day',
    at: '2026-11-29T12:00:00.000Z',
    timezone: 'UTC',
    date: '2026-11-29',
    startsAt: '2026-11-29T00:00:00.000Z',
    resetsAt: '2026-11-30T00:00:00.000Z',
    hours: 24,
  },
  {
    story: 'the day on which Berlin loses an hour',
    at: '2026-03-29T12:00:00.000Z',
    timezone: 'Europe/Berlin',
    date: '2026-03-29',
    startsAt: '2026-03-28T23:00:00.000Z',
    resetsAt: '2026-03-29T22:00:00.000Z',
    hours: 23,
  },
  {
    story: 'the day on which Berlin gains an hour',
    at: '2026-10-25T12:00:00.000Z',
    timezone: 'Europe/Berlin',
    date: '2026-10-25',
    startsAt: '2026-10-24T22:00:00.000Z',
    resetsAt: '2026-10-25T23:00:00.000Z',
    hours: 25,
  },
  {
    story: 'the day on which New York loses an hour',
    at: '2026-03-08T12:00:00.000Z',
    timezone: 'America/New_York',
    date: '2026-03-08',
    startsAt: '2026-03-08T05:00:00.000Z',
    resetsAt: '2026-03-09T04:00:00.000Z',
    hours: 23,
  },
  {
    story: 'the day on which New York gains an hour',
    at: '2026-11-01T12:00:00.000Z',
    timezone: 'America/New_York',
    date: '2026-11-01',
    startsAt: '2026-11-01T04:00:00.000Z',
    resetsAt: '2026-11-02T05:00:00.000Z',
    hours: 25,
  },
  {
    story: 'a day in São Paulo that begins at one, midnight being skipped',
    at: '2018-11-04T12:00:00.000Z',
    timezone: 'America/Sao_Paulo',
    date: '2018-11-04',
    startsAt: '2018-11-04T03:00:00.000Z',
    resetsAt: '2018-11-05T02:00:00.000Z',
    hours: 23,
  },
  {
    story: 'the day before it, which ends where midnight would have been',
    at: '2018-11-04T02:59:59.999Z',
    timezone: 'America/Sao_Paulo',
    date: '2018-11-03',
    startsAt: '2018-11-03T03:00:00.000Z',
    resetsAt: '2018-11-04T03:00:00.000Z',
    hours: 24,
  },
  {
    story: 'a day in São Paulo whose last hour comes twice',
    at: '2018-02-18T02:30:00.000Z',
    timezone: 'America/Sao_Paulo',
    date: '2018-02-17',
    startsAt: '2018-02-17T02:00:00.000Z',
    resetsAt: '2018-02-18T03:00:00.000Z',
    hours: 25,
  },
  {
    story: 'a day in Cairo that begins at one',
    at: '2024-04-26T12:00:00.000Z',
    timezone: 'Africa/Cairo',
    date: '2024-04-26',
    startsAt: '2024-04-25T22:00:00.000Z',
    resetsAt: '2024-04-26T21:00:00.000Z',
    hours: 23,
  },
  {
    story: 'a day in Beirut that begins at one',
    at: '2026-03-29T12:00:00.000Z',
    timezone: 'Asia/Beirut',
    date: '2026-03-29',
    startsAt: '2026-03-28T22:00:00.000Z',
    resetsAt: '2026-03-29T21:00:00.000Z',
    hours: 23,
  },
  {
    story: 'a day in Havana whose first hour comes twice',
    at: '2026-11-01T05:30:00.000Z',
    timezone: 'America/Havana',
    date: '2026-11-01',
    startsAt: '2026-11-01T04:00:00.000Z',
    resetsAt: '2026-11-02T05:00:00.000Z',
    hours: 25,
  },
  {
    story: 'the day before the one that Apia skipped',
    at: '2011-12-30T09:59:59.999Z',
    timezone: 'Pacific/Apia',
    date: '2011-12-29',
    startsAt: '2011-12-29T10:00:00.000Z',
    resetsAt: '2011-12-30T10:00:00.000Z',
    hours: 24,
  },
  {
    story: 'the day after the one that Apia skipped',
    at: '2011-12-30T10:00:00.000Z',
    timezone: 'Pacific/Apia',
    date: '2011-12-31',
    startsAt: '2011-12-30T10:00:00.000Z',
    resetsAt: '2011-12-31T10:00:00.000Z',
    hours: 24,
  },
  {
    story: 'the day on which Lord Howe Island loses half an hour',
    at: '2026-10-03T20:00:00.000Z',
    timezone: 'Australia/Lord_Howe',
    date: '2026-10-04',
    startsAt: '2026-10-03T13:30:00.000Z',
    resetsAt: '2026-10-04T13:00:00.000Z',
    hours: 23.5,
  },
];

test.each(days)('$story is one window of $hours hours', ({ at, timezone, date, startsAt, resetsAt, hours }) => {
  expect(windowAt(Date.parse(at), timezone)).toEqual({ date, timezone, startsAt, resetsAt });
  expect(windowOn(date, timezone)).toEqual({ date, timezone, startsAt, resetsAt });
  expect(Date.parse(resetsAt) - Date.parse(startsAt)).toBe(hours * hourMs);
});

test('half past eleven and half past midnight in Shanghai lie in two windows that meet at 16:00 UTC', () => {
  const evening = windowAt(Date.parse('2026-11-29T23:30:00+08:00'), 'Asia/Shanghai');
  const night = windowAt(Date.parse('2026-11-30T00:30:00+08:00'), 'Asia/Shanghai');
  expect(evening).toMatchObject({
    date: '2026-11-29',
    timezone: 'Asia/Shanghai',
    resetsAt: '2026-11-29T16:00:00.000Z',
  });
  expect(night).toMatchObject({ date: '2026-11-30', timezone: 'Asia/Shanghai', startsAt: '2026-11-29T16:00:00.000Z' });
});

test('a window ends just before its reset: the last millisecond is in it, the next is not', () => {
  const reset = Date.parse('2026-11-30T00:00:00.000Z');
  expect(windowAt(reset - 1, 'UTC').date).toBe('2026-11-29');
  expect(windowAt(reset, 'UTC').date).toBe('2026-11-30');
});

test('every instant of 2015 to 2035 lies in its window, in every zone, and windows follow each other without a gap', () => {
  const instants = fc.integer({ min: Date.UTC(2015, 0), max: Date.UTC(2035, 0) });
  const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
  fc.assert(
    fc.property(instants, zones, (at, timezone) => {
      const window = windowAt(at, timezone);
      const startsAt = Date.parse(window.startsAt);
      const resetsAt = Date.parse(window.resetsAt);
      expect(startsAt).toBeLessThanOrEqual(at);
      expect(at).toBeLessThan(resetsAt);
      expect(windowAt(startsAt, timezone)).toEqual(window);
      expect(windowAt(resetsAt - 1, timezone)).toEqual(window);
      expect(windowAt(resetsAt, timezone).startsAt).toBe(window.resetsAt);
      expect(windowAt(startsAt - 1, timezone).resetsAt).toBe(window.startsAt);
    }),
    { numRuns: 1000 },
  );
});

test('windows chain through twenty years of days in the zones whose clocks change at midnight', () => {
  for (const timezone of ['Africa/Cairo', 'Asia/Beirut', 'America/Havana', 'America/Asuncion', 'America/Nuuk']) {
    const end = Date.UTC(2035, 0);
    let window = windowAt(Date.UTC(2015, 0), timezone);
    for (let count = 0; Date.parse(window.resetsAt) < end; count++) {
      const next = windowAt(Date.parse(window.resetsAt), timezone);
      expect(next.startsAt).toBe(window.resetsAt);
      expect(next.date > window.date).toBe(true);
      expect(count).toBeLessThan(7400);
      window = next;
    }
  }
});
