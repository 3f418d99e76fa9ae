import { windowOn } from '@usher/limiter-core/bulk';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hourAt, hoursOf } from './hours.ts';

function dayOf(date: string, timezone: string) {
  const { startsAt, resetsAt } = windowOn(date, timezone);
  return { timezone, startsAtMs: Date.parse(startsAt), resetsAtMs: Date.parse(resetsAt) };
}

const labelsOf = (date: string, timezone: string): string[] => hoursOf(dayOf(date, timezone)).map(({ hour }) => hour);

test('a day has 24 hours, each labelled with its offset', () => {
  const labels = labelsOf('2026-11-29', 'Europe/Berlin');
  expect(labels).toHaveLength(24);
  expect(labels[0]).toBe('00:00+01:00');
  expect(labels.at(-1)).toBe('23:00+01:00');
});

test('a day that loses an hour has 23: the lost one is not there', () => {
  const labels = labelsOf('2026-03-29', 'Europe/Berlin');
  expect(labels).toHaveLength(23);
  expect(labels.slice(0, 4)).toEqual(['00:00+01:00', '01:00+01:00', '03:00+02:00', '04:00+02:00']);
});

test('a day that gains an hour has 25: both are told apart by their offset', () => {
  const labels = labelsOf('2026-10-25', 'Europe/Berlin');
  expect(labels).toHaveLength(25);
  expect(labels.slice(1, 5)).toEqual(['01:00+02:00', '02:00+02:00', '02:00+01:00', '03:00+01:00']);
});

test('a day without a midnight begins with its first instant', () => {
  const labels = labelsOf('2018-11-04', 'America/Sao_Paulo');
  expect(labels).toHaveLength(23);
  expect(labels[0]).toBe('01:00-02:00');
  // Clocks went back at midnight: the day before has its last hour twice.
  expect(labelsOf('2018-02-17', 'America/Sao_Paulo').slice(-2)).toEqual(['23:00-02:00', '23:00-03:00']);
});

test('where clocks change by half an hour, an hour is parted in two', () => {
  expect(labelsOf('2026-04-05', 'Australia/Lord_Howe').slice(0, 4)).toEqual([
    '00:00+11:00',
    '01:00+11:00',
    '01:30+10:30',
    '02:00+10:30',
  ]);
  const shorter = hoursOf(dayOf('2026-10-04', 'Australia/Lord_Howe'));
  expect(shorter.slice(1, 4).map(({ hour }) => hour)).toEqual(['01:00+10:30', '02:30+11:00', '03:00+11:00']);
  expect((shorter[3]?.startsAtMs ?? 0) - (shorter[2]?.startsAtMs ?? 0)).toBe(1_800_000);
});

test('hours are those of the wall, also in a zone that is off by three quarters', () => {
  expect(labelsOf('2026-11-29', 'Asia/Kathmandu').slice(0, 2)).toEqual(['00:00+05:45', '01:00+05:45']);
});

test('every instant of a day lies in the last hour that began before it', () => {
  const days = [
    dayOf('2026-03-29', 'Europe/Berlin'),
    dayOf('2026-10-25', 'Europe/Berlin'),
    dayOf('2026-04-05', 'Australia/Lord_Howe'),
    dayOf('1913-12-31', 'America/Sao_Paulo'),
  ];
  fc.assert(
    fc.property(fc.constantFrom(...days), fc.nat(), (day, offset) => {
      const hours = hoursOf(day);
      const instantMs = day.startsAtMs + (offset % (day.resetsAtMs - day.startsAtMs));
      const at = hourAt(hours, instantMs);
      expect(hours[at]?.startsAtMs).toBeLessThanOrEqual(instantMs);
      expect(hours[at + 1]?.startsAtMs ?? day.resetsAtMs).toBeGreaterThan(instantMs);
      expect(new Set(hours.map(({ hour }) => hour)).size).toBe(hours.length);
    }),
  );
});

test('an instant outside the day lies in its nearest hour', () => {
  const hours = hoursOf(dayOf('2026-11-29', 'UTC'));
  expect(hourAt(hours, 0)).toBe(0);
  expect(hourAt(hours, Number.MAX_SAFE_INTEGER)).toBe(23);
});

test('where clocks change within an hour, it ends there', () => {
  // Clocks of Newfoundland changed a minute after midnight until 2011.
  expect(labelsOf('2010-03-14', 'America/St_Johns').slice(0, 3)).toEqual(['00:00-03:30', '01:01-02:30', '02:00-02:30']);
});

test('an hour begins with its first instant and ends just before the next one', () => {
  const day = dayOf('2026-11-29', 'UTC');
  const hours = hoursOf(day);
  expect(hourAt(hours, day.startsAtMs + 3_600_000)).toBe(1);
  expect(hourAt(hours, day.startsAtMs + 3_599_999)).toBe(0);
});
