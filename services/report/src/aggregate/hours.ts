import { toRfc3339 } from '@usher/limiter-core/bulk';
import { Temporal } from 'temporal-polyfill';

/** An hour of a local day. It is shorter where clocks change within it. */
export interface DayHour {
  /** The local time at which it begins, with the offset from UTC: `02:00+01:00`. Both of an hour that comes twice are told apart. */
  readonly hour: string;
  readonly startsAtMs: number;
  readonly startsAt: string;
}

/** A local day, or several that share a date, with its bounds in milliseconds since the Unix epoch. */
export interface DayBounds {
  readonly timezone: string;
  readonly startsAtMs: number;
  readonly resetsAtMs: number;
}

/**
 * The hours of a day as its clocks show them: a new one begins at every full hour, and where clocks change. So a day has
 * 23 to 25 where they change by an hour; a change of half an hour (Lord Howe) parts an hour in two.
 */
export function hoursOf({ timezone, startsAtMs, resetsAtMs }: DayBounds): DayHour[] {
  const hours: DayHour[] = [];
  let at = Temporal.Instant.fromEpochMilliseconds(startsAtMs).toZonedDateTimeISO(timezone);
  while (at.epochMilliseconds < resetsAtMs) {
    hours.push({
      hour: `${two(at.hour)}:${two(at.minute)}${at.offset}`,
      startsAtMs: at.epochMilliseconds,
      startsAt: toRfc3339(at.epochMilliseconds),
    });
    const full = at.epochMilliseconds + 3_600_000 - (at.minute * 60 + at.second) * 1000 - at.millisecond;
    const change = at.getTimeZoneTransition('next')?.epochMilliseconds ?? full;
    at = Temporal.Instant.fromEpochMilliseconds(Math.min(full, change)).toZonedDateTimeISO(timezone);
  }
  return hours;
}

/** The place of the hour in which an instant lies; the nearest of those there are. */
export function hourAt(hours: readonly DayHour[], epochMs: number): number {
  let low = 0;
  let high = hours.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((hours[middle]?.startsAtMs ?? Infinity) <= epochMs) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A memory of hours: accounts of one zone share their day. */
export function rememberedHours(): (bounds: DayBounds) => readonly DayHour[] {
  const known = new Map<string, readonly DayHour[]>();
  return (bounds) => {
    const key = `${bounds.timezone} ${bounds.startsAtMs} ${bounds.resetsAtMs}`;
    const hours = known.get(key) ?? hoursOf(bounds);
    known.set(key, hours);
    return hours;
  };
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
