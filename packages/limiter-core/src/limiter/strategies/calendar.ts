import { InvalidArgumentError } from '../../errors.ts';
import type { Span } from './window.ts';

/** A calendar's unit. */
export type CalendarUnit = 'day' | 'week' | 'month';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * The days, weeks or months of a time zone, by the zone data of the runtime's own `Intl`: a function from an instant to the
 * span that it lies in. The last span is remembered, since most instants lie in it.
 *
 * @throws InvalidArgumentError for an unknown zone
 */
export function calendar(unit: CalendarUnit, timezone: string): (nowMs: number) => Span {
  const id = `${unit} ${timezone}`;
  const calendarOf = known.get(id) ?? newCalendar(unit, newZone(formatFor(timezone)));
  if (known.size < maxKnown) known.set(id, calendarOf);
  return calendarOf;
}

/** Calendars by unit and zone: a strategy that is a function of a plan is made anew for each check. */
const known = new Map<string, (nowMs: number) => Span>();
/** Three for every zone that there is. A name in another case is a name of its own, and must not fill a process. */
const maxKnown = 2000;

function newCalendar(unit: CalendarUnit, zone: Zone): (nowMs: number) => Span {
  let last: Span = { startMs: 0, endMs: 0 };
  return (nowMs) => {
    if (nowMs >= last.startMs && nowMs < last.endMs) return last;
    let first = firstDayOf(unit, zone.localMs(nowMs));
    let endMs = zone.startOfDay(nextOf(unit, first));
    // Where clocks go back over midnight an instant of the new day may read as the old one's: it is in the new day.
    if (nowMs >= endMs) {
      first = nextOf(unit, first);
      endMs = zone.startOfDay(nextOf(unit, first));
    }
    last = { startMs: zone.startOfDay(first), endMs };
    return last;
  };
}

/** The unit's first day. Local days and times are written as the instant at which a clock in UTC would show them. */
function firstDayOf(unit: CalendarUnit, localMs: number): number {
  const day = Math.floor(localMs / dayMs) * dayMs;
  if (unit === 'day') return day;
  const date = new Date(day);
  if (unit === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  return day - ((date.getUTCDay() + 6) % 7) * dayMs;
}

function nextOf(unit: CalendarUnit, firstDay: number): number {
  if (unit === 'day') return firstDay + dayMs;
  if (unit === 'week') return firstDay + 7 * dayMs;
  const date = new Date(firstDay);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

interface Zone {
  /** The local time of an instant, to the second. */
  localMs(epochMs: number): number;
  /** The first instant of a local day. */
  startOfDay(day: number): number;
}

function formatFor(timezone: string): Intl.DateTimeFormat {
  try {
    if (typeof timezone !== 'string') throw new RangeError('not a string');
    return new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (cause) {
    throw new InvalidArgumentError(`timezone must be an IANA time zone (was ${String(timezone)})`, { cause });
  }
}

function newZone(format: Intl.DateTimeFormat): Zone {
  const localMs = (epochMs: number): number => {
    const parts = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
    for (const { type, value } of format.formatToParts(epochMs)) {
      if (Object.hasOwn(parts, type)) parts[type as keyof typeof parts] = Number(value);
    }
    const { year, month, day, hour, minute, second } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second);
  };
  const offsetMs = (epochMs: number): number => localMs(epochMs) - epochMs;
  return {
    localMs,
    startOfDay(day) {
      const [before, after] = [offsetMs(day - 1.5 * dayMs), offsetMs(day + 1.5 * dayMs)];
      const candidates = [day - Math.max(before, after), day - Math.min(before, after)];
      for (const candidate of candidates) if (localMs(candidate) === day) return candidate;
      // Midnight does not exist. The day begins at the jump over it, which lies between the two.
      let [low = 0, high = 0] = candidates;
      while (high - low > 1) {
        const middle = Math.floor((low + high) / 2);
        if (localMs(middle) < day) low = middle;
        else high = middle;
      }
      return high;
    },
  };
}
