import {
  BookingId,
  type BookingState,
  listKeyOf,
  listPageBookings,
  listPageMaxBookings,
  type ParameterError,
  PlainDate,
} from '@usher/contracts';
import { toRfc3339 } from '@usher/limiter-core';
import { invalidParameters, type Query } from './read-query.ts';
import type { Refusal } from './refusal.ts';

/** The list's query, read. */
export interface ListQuery {
  /** The most bookings that the page holds. */
  readonly limit: number;
  readonly status: BookingState | undefined;
  /** The first and the last local day: a booking's own, `window.date`. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  /** The list key that the page begins after. */
  readonly after: string | undefined;
}

const states = ['accepting', 'pending', 'decided'] as const satisfies readonly BookingState[];

/** Reads the list's query parameters; each that is wrong is told by its name. */
export function readListQuery(query: Query): ListQuery | Refusal {
  const wrong: ParameterError[] = [];
  const read = <T>(name: string, parse: (text: string) => T | undefined, expected: string): T | undefined => {
    const text = query.get(name);
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value === undefined) wrong.push({ parameter: name, detail: `must be ${expected}` });
    return value;
  };
  const limit = read('limit', limitOf, `a whole number from 1 to ${listPageMaxBookings}`);
  const status = read('status', (text) => states.find((state) => state === text), `one of ${states.join(', ')}`);
  const from = read('from', dateOf, PlainDate.description);
  const to = read('to', dateOf, PlainDate.description);
  const after = read('cursor', positionOf, 'one that an earlier page of this list gave');
  if (wrong.length > 0) return invalidParameters(wrong);
  return { limit: limit ?? listPageBookings, status, from, to, after };
}

/** The cursor that a page ends with: instant and id of the last booking it looked at, which is the caller's own. */
export function cursorAfter({ acceptedAt, bookingId }: { acceptedAt: string; bookingId: string }): string {
  return `${String(Date.parse(acceptedAt)).padStart(instantDigits, '0')}-${bookingId}`;
}

const instantDigits = 13;
const cursorPattern = new RegExp(`^(\\d{${instantDigits}})-(.*)$`);

function positionOf(cursor: string): string | undefined {
  const [, ms, bookingId] = cursorPattern.exec(cursor) ?? [];
  if (ms === undefined || !BookingId.allows(bookingId)) return undefined;
  return listKeyOf({ acceptedAt: toRfc3339(Number(ms)), bookingId });
}

function limitOf(text: string): number | undefined {
  const value = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : Number.NaN;
  return value <= listPageMaxBookings ? value : undefined;
}

function dateOf(text: string): string | undefined {
  return PlainDate.allows(text) ? text : undefined;
}
