import {
  acceptedAtMsOf,
  BookingId,
  type BookingState,
  listKeyOf,
  listPageBookings,
  listPageMaxBookings,
  type ParameterError,
  PlainDate,
} from '@usher/contracts';
import { toRfc3339 } from '@usher/limiter-core/bulk';
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

/** A page ends with the id of the last booking it looked at, which is the caller's own and carries its instant. */
function positionOf(cursor: string): string | undefined {
  return BookingId.allows(cursor)
    ? listKeyOf({ acceptedAt: toRfc3339(acceptedAtMsOf(cursor)), bookingId: cursor })
    : undefined;
}

function limitOf(text: string): number | undefined {
  const value = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : Number.NaN;
  return value <= listPageMaxBookings ? value : undefined;
}

function dateOf(text: string): string | undefined {
  return PlainDate.allows(text) ? text : undefined;
}
