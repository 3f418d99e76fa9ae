import { windowAt } from '@usher/limiter-core/bulk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { windowProblem } from './window-rule.ts';

const of = (acceptedAt: string, timezone = 'UTC') => ({
  acceptedAt,
  window: windowAt(Date.parse(acceptedAt), timezone),
});
const noon = of('2026-11-29T12:00:00.000Z');
const problemWith = (window: object, acceptedAt = noon.acceptedAt): string | undefined =>
  windowProblem({ acceptedAt, window: { ...noon.window, ...window } })?.path.join('/');

test('every local day of every zone can be one', () => {
  const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
  const instants = fc.integer({ min: Date.parse('2020-01-01T00:00:00Z'), max: Date.parse('2040-01-01T00:00:00Z') });
  fc.assert(
    fc.property(zones, instants, (zone, atMs) => {
      expect(windowProblem(of(new Date(atMs).toISOString(), zone))).toBeUndefined();
    }),
    { numRuns: 3000 },
  );
});

test.each([
  ['a day of 21 hours', '2020-10-04T01:00:00.000Z', 'Antarctica/Casey'],
  ['a day whose midnight does not exist', '2026-09-06T12:00:00.000Z', 'America/Santiago'],
  ['a day of half an hour less', '2026-10-03T16:00:00.000Z', 'Australia/Lord_Howe'],
  ['the zone that is furthest ahead', '2026-11-29T10:00:00.000Z', 'Pacific/Kiritimati'],
  ['the zone that is furthest behind', '2026-11-29T11:59:59.999Z', 'Etc/GMT+12'],
])('%s can be one', (_, acceptedAt, zone) => {
  expect(windowProblem(of(acceptedAt, zone))).toBeUndefined();
});

test('a window that another version of the time zone data gives can be one', () => {
  const berlin = of('2026-11-29T12:00:00.000Z', 'Europe/Berlin').window;
  expect(problemWith({ startsAt: berlin.startsAt, resetsAt: berlin.resetsAt })).toBeUndefined();
});

test.each<[string, object, string]>([
  ['begins after the acceptance', { startsAt: '2026-11-29T12:00:00.001Z' }, 'window/startsAt'],
  ['ends at the acceptance', { resetsAt: '2026-11-29T12:00:00.000Z' }, 'window/resetsAt'],
  ['lasts a month', { resetsAt: '2026-12-29T00:00:00.000Z' }, 'window/resetsAt'],
  ['lasts an hour', { startsAt: '2026-11-29T11:30:00.000Z', resetsAt: '2026-11-29T12:30:00.000Z' }, 'window/resetsAt'],
  ['has the date of the day before', { date: '2026-11-28' }, 'window/date'],
  ['has the date of the day after', { date: '2026-11-30' }, 'window/date'],
  ['has a date before 1970', { date: '1969-12-31' }, 'window/date'],
  ['has a date in 9999', { date: '9999-12-31' }, 'window/date'],
  [
    'lies before 1970',
    { date: '1969-12-31', startsAt: '1969-12-31T00:00:00.000Z', resetsAt: '1970-01-01T00:00:00.000Z' },
    'window/resetsAt',
  ],
  [
    'lies in 9999',
    { date: '9999-12-30', startsAt: '9999-12-30T00:00:00.000Z', resetsAt: '9999-12-31T00:00:00.000Z' },
    'window/startsAt',
  ],
])('a window that %s is none', (_, window, field) => {
  expect(problemWith(window)).toBe(field);
});

test('an acceptance before there was an Usher is none, its window right or not', () => {
  expect(windowProblem(of('2019-12-31T23:59:59.999Z'))?.path).toEqual(['acceptedAt']);
  expect(windowProblem(of('1969-12-31T12:00:00.000Z'))?.path).toEqual(['acceptedAt']);
});
