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
  const local = Temporal.Instant.fromEpochMilliseconds(epochMs).toZonedDateTimeISO(timezone);
  const date = local.toPlainDate();
  return {
    date: date.toString(),
    timezone,
    startsAt: toRfc3339(local.startOfDay().epochMilliseconds),
    resetsAt: toRfc3339(date.add({ days: 1 }).toZonedDateTime(timezone).epochMilliseconds),
  };
}

/** An instant as RFC 3339 in UTC with milliseconds. */
export function toRfc3339(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
