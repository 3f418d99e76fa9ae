import { Temporal } from 'temporal-polyfill';

/** Canonical names by the names that were asked for: finding out anew for every policy read was a tenth of a worker's time. */
const knownTimezones = new Map<string, string>();
/** Far more than there are zones. A name in another case is a name of its own, and must not fill a process. */
const maxKnownTimezones = 2000;
const timezonePattern = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/;

/**
 * A time zone's name as the IANA database writes it, from a name in any case: `europe/berlin` is `Europe/Berlin`. A link
 * stays what it is (`Asia/Calcutta`). Undefined for what windows cannot be made of: offsets (`+05:00`), and
 * abbreviations that Intl takes for one zone of several (`PST`, `IST`).
 */
export function canonicalTimezone(name: string): string | undefined {
  const known = knownTimezones.get(name);
  if (known !== undefined) return known;
  if (!timezonePattern.test(name)) return undefined;
  let canonical: string;
  try {
    // Judged by the same Temporal that makes windows.
    canonical = Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  } catch {
    return undefined;
  }
  if (knownTimezones.size < maxKnownTimezones) knownTimezones.set(name, canonical);
  return canonical;
}

/** True for a name of a time zone that windows can be made of, in any case. */
export function isTimezone(name: string): boolean {
  return canonicalTimezone(name) !== undefined;
}
