import {
  BookingId,
  type BookingList,
  type HeaderItem,
  Instant,
  listKeyOf,
  listPageBookings,
  PlainDate,
} from '@usher/contracts';
import { retention, toRfc3339 } from '@usher/limiter-core';
import type { HeaderStore } from './header-store.ts';
import { type Refusal, refusal } from './refusal.ts';
import { isShown, type StatusPorts } from './status.ts';

/** A page of the caller's bookings. */
export interface ListPage {
  readonly kind: 'list';
  readonly page: BookingList;
}

/** Sorts after every booking that there will be. */
const newest = '9999';

/**
 * The caller's bookings, newest first.
 *
 * @param from the first day to list, a calendar day in UTC; absent: as long as bookings are shown
 * @param cursor where the page begins, as the page before gave it
 */
export async function listBookings(
  ports: StatusPorts,
  { accountId, from, cursor }: { accountId: string; from: string | undefined; cursor: string | undefined },
): Promise<ListPage | Refusal> {
  if (from !== undefined && !PlainDate.allows(from)) {
    return refusal('invalid-query', 'from must be a calendar day, YYYY-MM-DD.');
  }
  const nowMs = ports.clock();
  const to = cursor === undefined ? newest : positionOf(cursor);
  if (to === null) return refusal('invalid-query', 'cursor must be one that an earlier page of this list gave.');
  const oldest = toRfc3339(nowMs - retention.outcomeMs);
  const range = { from: from !== undefined && from > oldest ? from : oldest, to };
  if (range.from > range.to) return { kind: 'list', page: { bookings: [] } };

  // One more than a page holds: the cursor names the booking that the next page begins with.
  const found = await ports.headers.list(accountId, range, listPageBookings + 1);
  const shown = found.slice(0, listPageBookings);
  const headers = await Promise.all(shown.map((listKey) => readListed(ports.headers, listKey)));
  const bookings = await Promise.all(
    headers.flatMap((header) =>
      header !== undefined && isShown(header, nowMs) ? [entryOf(ports, header, nowMs)] : [],
    ),
  );
  const next = found[listPageBookings];
  return { kind: 'list', page: { bookings, ...(next === undefined ? {} : { nextCursor: cursorOf(next) }) } };
}

// The index holds keys only, so that it need not be written when a header changes; what it names is read for itself.
function readListed(headers: HeaderStore, listKey: string): Promise<HeaderItem | undefined> {
  return headers.read(listKey.slice(listKey.indexOf('#') + 1));
}

// A header cannot know when its chunks are decided. Counting them reads the booking's ledger, a few kilobytes a chunk,
// which is what keeps the page this small.
async function entryOf(
  { ledger }: StatusPorts,
  header: HeaderItem,
  nowMs: number,
): Promise<BookingList['bookings'][number]> {
  const { bookingId, acceptedAt, total, chunks, state } = header;
  const isDecided = (await ledger.countComplete(bookingId, nowMs)) === chunks;
  return {
    bookingId,
    acceptedAt,
    total,
    status: isDecided ? 'decided' : state === 'accepting' ? 'accepting' : 'pending',
  };
}

/** The cursor of a position in the list. It names a booking of the caller's own, and never a key of the table. */
function cursorOf(listKey: string): string {
  return Buffer.from(listKey, 'utf8').toString('base64url');
}

function positionOf(cursor: string): string | null {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(cursor)) return null;
  const [acceptedAt = '', bookingId = '', ...rest] = Buffer.from(cursor, 'base64url').toString('utf8').split('#');
  if (rest.length > 0 || !Instant.allows(acceptedAt) || !BookingId.allows(bookingId)) return null;
  return listKeyOf({ acceptedAt, bookingId });
}
