import {
  BookingId,
  type BookingList,
  bookingKeyOf,
  type HeaderItem,
  Instant,
  type ListedBooking,
  listKeyOf,
  rowCountsOf,
} from '@usher/contracts';
import { CorruptItemError, retention, toRfc3339 } from '@usher/limiter-core/bulk';
import { countedNow, countedOf } from './decided-counts.ts';
import { reportUnreadable, unavailable } from './errors.ts';
import { isShown, type StatusPorts } from './get-booking.ts';
import type { ListRange } from './header-store.ts';
import { type ListQuery, readListQuery } from './list-query.ts';
import type { Query } from './read-query.ts';
import type { Refusal } from './refusal.ts';

/** A page of the caller's bookings. */
export interface ListPage {
  readonly kind: 'list';
  readonly page: BookingList;
}

/** The most that one request looks at: bookings, and chunks of which it has to count the ledger (2 to 50 KB each). */
export const listBounds = { bookings: 100, chunks: 2000 } as const;
/** The fewest bookings looked at together, once the first ones did not fill the page. */
const nextStride = 20;

const dayMs = 86_400_000;
/** Sorts after every booking that there will be. */
const newest = '9999';

interface Search {
  readonly ports: StatusPorts;
  readonly accountId: string;
  readonly asked: ListQuery;
  readonly nowMs: number;
}

/** One key of the index, its place in the list, and its header if that is to be shown. */
interface Look {
  readonly key: string;
  readonly place?: Place;
  readonly header?: HeaderItem;
}
type Place = Pick<HeaderItem, 'acceptedAt' | 'bookingId'>;
type Headers = ReadonlyMap<string, HeaderItem | Error>;

/**
 * The caller's bookings, newest first. A page ends when it is full, or when the request has looked at as much as one
 * may. So a filter can leave a page short or empty although there is a next one.
 */
export async function listBookings(ports: StatusPorts, accountId: string, query: Query): Promise<ListPage | Refusal> {
  const asked = readListQuery(query);
  if ('kind' in asked) return asked;
  const search: Search = { ports, accountId, asked, nowMs: ports.clock() };
  const bookings: ListedBooking[] = [];
  let left: { readonly bookings: number; readonly chunks: number } = listBounds;
  let range = rangeOf(search);
  let stride = asked.limit;
  let last: Place | undefined;
  for (;;) {
    const { looks, hasNext } = await looksIn(search, range, Math.min(left.bookings, stride));
    const { count, chunks } = affordable(looks, left.chunks);
    const entries = await Promise.all(looks.slice(0, count).map((look) => entryOf(search, look)));
    for (const [index, entry] of entries.entries()) {
      last = looks[index]?.place ?? last;
      if (entry !== undefined && (asked.status ?? entry.status) === entry.status) bookings.push(entry);
      if (bookings.length === asked.limit) return pageOf(bookings, index + 1 < looks.length || hasNext, last);
    }
    left = { bookings: left.bookings - count, chunks: left.chunks - chunks };
    const hasMore = hasNext || count < looks.length;
    if (!hasMore || count < looks.length || left.bookings === 0) return pageOf(bookings, hasMore, last);
    range = { ...range, to: looks.at(-1)?.key ?? range.to };
    stride = Math.max(asked.limit, nextStride);
  }
}

function pageOf(bookings: ListedBooking[], hasMore: boolean, last: Place | undefined): ListPage {
  return { kind: 'list', page: { bookings, ...(hasMore && last !== undefined && { nextCursor: last.bookingId }) } };
}

/**
 * The range of list keys in which the asked days lie. Keys tell the instant of acceptance, and days are the account's
 * own. A day of any zone begins and ends within a day of UTC's, so the range is wider by one day at either end. Bookings
 * of other days are left out by their `window.date`, which no later change of the account's zone moves.
 */
function rangeOf({ asked: { from, to, after }, nowMs }: Search): ListRange {
  const oldestMs = nowMs - retention.outcomeMs;
  const fromMs = from === undefined ? oldestMs : Math.max(oldestMs, Date.parse(from) - dayMs);
  const toMs = to === undefined ? Number.POSITIVE_INFINITY : Date.parse(to) + 2 * dayMs;
  const upper = toMs < Date.parse(newest) ? toRfc3339(toMs) : newest;
  return { from: toRfc3339(fromMs), to: after !== undefined && after < upper ? after : upper };
}

async function looksIn(
  search: Search,
  range: ListRange,
  count: number,
): Promise<{ looks: readonly Look[]; hasNext: boolean }> {
  if (range.from > range.to) return { looks: [], hasNext: false };
  // Both ends belong to a range, and the upper one was looked at before; one more tells that there is a next one.
  const keys = await search.ports.headers.list(search.accountId, range, count + 2);
  const unseen = keys.filter((key) => key !== range.to);
  const seen = unseen.slice(0, count);
  // The index holds keys only, so that a header that changes need not be written there.
  const bookingKeys = seen.flatMap((key) => placeOf(key)?.bookingId ?? []).map(bookingKeyOf);
  const headers = await search.ports.headers.readAll(bookingKeys);
  return { looks: seen.map((key) => lookOf(search, key, headers)), hasNext: unseen.length > count };
}

// One item that cannot be read must not hide the others.
function lookOf({ ports, accountId, asked, nowMs }: Search, key: string, headers: Headers): Look {
  const place = placeOf(key);
  try {
    if (place === undefined) throw new CorruptItemError(`index of ${accountId}`, 'a list key is malformed');
    const header = headers.get(bookingKeyOf(place.bookingId));
    if (header instanceof Error) throw unavailable('The table', header);
    // The index lags behind: the header may be gone, or be that of a later booking under the same key.
    if (header === undefined || listKeyOf(header) !== key || !isShown(header, nowMs)) return { key, place };
    if (header.accountId !== accountId) {
      throw new CorruptItemError(`header of ${place.bookingId}`, 'it is listed for another account');
    }
    const { date } = header.window;
    return { key, place, ...(date >= (asked.from ?? date) && date <= (asked.to ?? date) && { header }) };
  } catch (error) {
    reportUnreadable(ports, error, { accountId, ...(place && { bookingId: place.bookingId }) });
    return { key, ...(place && { place }) };
  }
}

function placeOf(key: string): Place | undefined {
  const [acceptedAt, bookingId, ...rest] = key.split('#');
  return rest.length === 0 && Instant.allows(acceptedAt) && BookingId.allows(bookingId)
    ? { acceptedAt, bookingId }
    : undefined;
}

/** The number of bookings that can be told within the chunks left to count, and the chunks that they take. */
function affordable(looks: readonly Look[], chunksLeft: number): { count: number; chunks: number } {
  let chunks = 0;
  for (const [count, { header }] of looks.entries()) {
    const more = header === undefined ? 0 : rowCountsOf(header.cut).length - countedOf(header).chunks;
    // Nothing counted yet in this request: then one booking is told whatever it costs, so that every page gets on.
    const isFirst = chunks === 0 && chunksLeft === listBounds.chunks;
    if (chunks + more > chunksLeft && !isFirst) return { count, chunks };
    chunks += more;
  }
  return { count: looks.length, chunks };
}

async function entryOf({ ports }: Search, { header }: Look): Promise<ListedBooking | undefined> {
  if (header === undefined) return undefined;
  const { bookingId, acceptedAt, window, total, state, cut } = header;
  const listed = { bookingId, acceptedAt, date: window.date, total };
  const { chunks, granted, rejected } = await countedNow(ports, header);
  if (chunks === rowCountsOf(cut).length) return { ...listed, status: 'decided', granted, rejected };
  return { ...listed, status: state === 'accepting' ? 'accepting' : 'pending' };
}
