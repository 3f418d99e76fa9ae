import { Temporal } from 'temporal-polyfill';

/** An account's local day, the span in which its daily limit holds. Instants are RFC 3339 UTC with milliseconds. */
export interface Window {
  /** The local calendar day, `YYYY-MM-DD`. */
  readonly date: string;
  /** The IANA zone whose day it is. */
  readonly timezone: string;
  /** The day's first instant. */
  readonly startsAt: string;
  /** The next day's first instant; the window ends just before it. */
  readonly resetsAt: string;
}

/**
 * The window in which an instant lies. A day is 23 or 25 hours long where clocks change, and begins at the first
 * instant that exists where midnight does not (Temporal's `startOfDay`; TC39 Temporal proposal, ZonedDateTime).
 *
 * @param epochMs the instant, in milliseconds since the Unix epoch
 * @param timezone an IANA zone name
 */
export function windowAt(epochMs: number, timezone: string): Window {
  return windowOf(Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timezone).toPlainDate(), timezone);
}

/**
 * The window of a local calendar day.
 *
 * @param date `YYYY-MM-DD`
 * @param timezone an IANA zone name
 */
export function windowOn(date: string, timezone: string): Window {
  return windowOf(Temporal.PlainDate.from(date), timezone);
}

function windowOf(date: Temporal.PlainDate, timezone: string): Window {
  const startOf = (day: Temporal.PlainDate): string => toRfc3339(day.toZonedDateTime(timezone).epochMilliseconds);
  return { date: date.toString(), timezone, startsAt: startOf(date), resetsAt: startOf(date.add({ days: 1 })) };
}

/** An instant as RFC 3339 in UTC with milliseconds. */
export function toRfc3339(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
