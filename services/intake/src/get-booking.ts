import {
  BookingId,
  type BookingStatus,
  bookingKeyOf,
  bookingMaxRows,
  type DecidedReservation,
  type HeaderItem,
  statusPageRows,
} from '@usher/contracts';
import {
  amounts,
  type ChunkRow,
  type Clock,
  dispatchTimes,
  isGranted,
  type LedgerEntry,
  type Outcome,
  retention,
  toRfc3339,
} from '@usher/limiter-core';
import type { Meter } from '@usher/service';
import { type CountPorts, keepCounts } from './decided-counts.ts';
import { reach, reportUnreadable } from './errors.ts';
import type { IntakeMetric } from './metrics.ts';
import { invalidParameters } from './read-query.ts';
import { type Refusal, refusal } from './refusal.ts';

export interface StatusPorts extends CountPorts {
  readonly clock: Clock;
  readonly meter: Meter<IntakeMetric>;
}

/** A booking's status, where the caller may see it. */
export interface StatusPage {
  readonly kind: 'status';
  readonly page: BookingStatus;
}

/** An outcome together with the rows it decides. */
type Decided = LedgerEntry & { readonly rows: readonly ChunkRow[] };

/**
 * One page of a booking. Another account's booking is answered as one that does not exist. A chunk whose ledger item
 * cannot be read is shown as undecided: its verdict is not known.
 *
 * @param cursor the row offset that the page begins at, as the page before gave it; past the end the page is empty
 */
export async function getBooking(
  ports: StatusPorts,
  { accountId, bookingId, cursor }: { accountId: string; bookingId: string; cursor: string | undefined },
): Promise<StatusPage | Refusal> {
  if (!BookingId.allows(bookingId)) return unknownBooking();
  const offset = cursor === undefined ? 0 : offsetOf(cursor);
  if (offset === null) {
    return invalidParameters([
      { parameter: 'cursor', detail: 'must be one that an earlier page of this booking gave' },
    ]);
  }
  const header = await ports.headers.read(bookingKeyOf(bookingId));
  const nowMs = ports.clock();
  // An id of another instant is of another booking, which had the key before or has it since.
  if (header?.bookingId !== bookingId || header.accountId !== accountId || !isShown(header, nowMs)) {
    return unknownBooking();
  }
  const { entries, unreadable } = await reach('The table', () => ports.ledger.read(bookingId, nowMs));
  for (const error of unreadable) reportUnreadable(ports, error, { accountId, bookingId });
  const page = pageOf(header, entries, Math.min(offset, header.total));
  if (page.status === 'decided') await keepCountsOf(ports, header, page);
  return { kind: 'status', page };
}

async function keepCountsOf(ports: StatusPorts, header: HeaderItem, { counts }: BookingStatus): Promise<void> {
  const { accountId, bookingId } = header;
  try {
    await keepCounts(ports, header, { granted: counts.granted, rejected: counts.rejected });
  } catch (error) {
    reportUnreadable(ports, error, { accountId, bookingId });
  }
}

/** True while a booking is shown: for the time that its outcomes are surely kept. Its header is kept longer. */
export function isShown({ acceptedAt }: Pick<HeaderItem, 'acceptedAt'>, nowMs: number): boolean {
  return Date.parse(acceptedAt) + retention.outcomeMs > nowMs;
}

function pageOf(header: HeaderItem, entries: readonly LedgerEntry[], offset: number): BookingStatus {
  const { bookingId, accountId, acceptedAt, mode, window, total } = header;
  const decided = entries.filter((entry): entry is Decided => entry.rows !== undefined);
  const granted = decided.reduce((sum, { outcome }) => sum + amounts(outcome).granted.count, 0);
  const rejected = decided.reduce((sum, { outcome }) => sum + amounts(outcome).rejected.count, 0);
  const isDecided = decided.length === header.chunks;
  const reservations = rowsFrom(decided, offset);
  const next = offset + reservations.length;
  return {
    bookingId,
    accountId,
    acceptedAt,
    mode,
    window,
    status: isDecided ? 'decided' : header.state === 'accepting' ? 'accepting' : 'pending',
    counts: { total, granted, rejected, pending: Math.max(0, total - granted - rejected) },
    reservations,
    ...(isDecided && next >= total ? {} : { nextCursor: String(next) }),
  };
}

/** Up to a page of rows, in the order of submission, ending before the first chunk that is not decided. */
function rowsFrom(decided: readonly Decided[], offset: number): DecidedReservation[] {
  const page: DecidedReservation[] = [];
  let first = 0;
  for (const [index, entry] of decided.entries()) {
    if (entry.chunkIndex !== index || page.length === statusPageRows) break;
    const end = first + entry.rows.length;
    if (end > offset) {
      const rows = rowsOf(entry.outcome, entry.rows);
      page.push(...rows.slice(Math.max(0, offset - first)).slice(0, statusPageRows - page.length));
    }
    first = end;
  }
  return page;
}

function rowsOf(outcome: Outcome, decided: readonly ChunkRow[]): DecidedReservation[] {
  const times = dispatchTimes(outcome, decided);
  return decided.map(({ id, cost }, row) => {
    const reason = outcome.reasons[row] ?? null;
    return reason === null || isGranted(outcome, reason)
      ? { id, decision: 'granted', cost, dispatchAt: toRfc3339(times[row] ?? outcome.settledAtMs) }
      : { id, decision: 'rejected', cost, reason };
  });
}

function offsetOf(cursor: string): number | null {
  const offset = /^(0|[1-9]\d{0,4})$/.test(cursor) ? Number(cursor) : Number.NaN;
  return offset <= bookingMaxRows ? offset : null;
}

function unknownBooking(): Refusal {
  return refusal('not-found', 'There is no such booking of this account.');
}
