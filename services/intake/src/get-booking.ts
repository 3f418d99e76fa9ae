import {
  BookingId,
  type BookingStatus,
  bookingKeyOf,
  bookingMaxRows,
  type DecidedReservation,
  type HeaderItem,
  rowCountsOf,
  statusPageRows,
} from '@usher/contracts';
import {
  amounts,
  type ChunkRow,
  type Clock,
  dispatchTimes,
  isGranted,
  type Outcome,
  retention,
  toRfc3339,
} from '@usher/limiter-core/bulk';
import {
  type Counted,
  type CountPorts,
  countedOf,
  countOn,
  type Decided,
  keepCounts,
  nothingCounted,
  readDecided,
} from './decided-counts.ts';
import { invalidParameters } from './read-query.ts';
import { type Refusal, refusal } from './refusal.ts';

export interface StatusPorts extends CountPorts {
  readonly clock: Clock;
}

/** A booking's status, where the caller may see it. */
export interface StatusPage {
  readonly kind: 'status';
  readonly page: BookingStatus;
}

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
  // An id of another instant is of another booking, which had the key before or has it since.
  if (header?.bookingId !== bookingId || header.accountId !== accountId || !isShown(header, ports.clock())) {
    return unknownBooking();
  }
  const page = await pageFrom(ports, header, Math.min(offset, header.total));
  return { kind: 'status', page };
}

/** True while a booking is shown: for the time that its outcomes are surely kept. Its header is kept longer. */
export function isShown({ acceptedAt }: Pick<HeaderItem, 'acceptedAt'>, nowMs: number): boolean {
  return Date.parse(acceptedAt) + retention.outcomeMs > nowMs;
}

/** A page's chunks, and the rows of the booking before them. */
interface PageChunks {
  readonly first: number;
  readonly last: number;
  readonly rowsBefore: number;
}

/** A booking as far as one request has looked at it. */
interface View {
  /** Decided chunks, in order. */
  readonly decided: readonly Decided[];
  /** The booking's first chunks, all of them decided. */
  readonly counted: Counted;
  readonly granted: number;
  readonly rejected: number;
}

/**
 * Of a decided booking only the chunks that hold the page's rows are read; of an undecided one also those that its
 * header has not counted, for the counts.
 */
async function pageFrom(ports: StatusPorts, header: HeaderItem, offset: number): Promise<BookingStatus> {
  const chunks = pageChunks(rowCountsOf(header.cut), offset);
  let view = await viewOf(ports, header, chunks, countedOf(header));
  // A counted chunk that cannot be read any more has no verdict to show: then what was counted does not hold either.
  if (isLost(view, chunks, countedOf(header))) view = await viewOf(ports, header, chunks, nothingCounted);
  await keepCounts(ports, header, view.counted);
  return pageOf(header, view, chunks, offset);
}

async function viewOf(ports: StatusPorts, header: HeaderItem, page: PageChunks, before: Counted): Promise<View> {
  const last = rowCountsOf(header.cut).length - 1;
  const isOneRange = before.chunks <= last && page.last + 1 >= before.chunks;
  const ranges = isOneRange
    ? [{ first: Math.min(page.first, before.chunks), last }]
    : [
        { first: page.first, last: page.last },
        { first: before.chunks, last },
      ];
  const decided = (await Promise.all(ranges.map((range) => readDecided(ports, header, range)))).flat();
  const uncounted = decided.filter(({ chunkIndex }) => chunkIndex >= before.chunks);
  const sum = (verdict: 'granted' | 'rejected'): number =>
    uncounted.reduce((total, { outcome }) => total + amounts(outcome)[verdict].count, before[verdict]);
  return { decided, counted: countOn(before, uncounted), granted: sum('granted'), rejected: sum('rejected') };
}

function isLost({ decided }: View, { first, last }: PageChunks, before: Counted): boolean {
  const found = new Set(decided.map(({ chunkIndex }) => chunkIndex));
  const end = Math.min(last + 1, before.chunks);
  return Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at).some((chunk) => !found.has(chunk));
}

/** The chunks that hold a page's rows, from an offset on; none past the last row. */
function pageChunks(rowCounts: readonly number[], offset: number): PageChunks {
  let [first, rowsBefore] = [0, 0];
  for (; first < rowCounts.length && rowsBefore + (rowCounts[first] ?? 0) <= offset; first++) {
    rowsBefore += rowCounts[first] ?? 0;
  }
  let last = first - 1;
  for (let end = rowsBefore; last + 1 < rowCounts.length && end < offset + statusPageRows; last++) {
    end += rowCounts[last + 1] ?? 0;
  }
  return { first, last, rowsBefore };
}

function pageOf(header: HeaderItem, view: View, chunks: PageChunks, offset: number): BookingStatus {
  const { bookingId, accountId, acceptedAt, mode, window, total, cut } = header;
  const { counted, granted, rejected } = view;
  const isDecided = counted.chunks === rowCountsOf(cut).length;
  // Rows end before the first chunk that is not decided.
  const shown = view.decided.filter(
    ({ chunkIndex: at }) => at >= chunks.first && at <= chunks.last && at < counted.chunks,
  );
  const from = offset - chunks.rowsBefore;
  const reservations = shown.flatMap(({ outcome, rows }) => rowsOf(outcome, rows)).slice(from, from + statusPageRows);
  const next = offset + reservations.length;
  return {
    bookingId,
    accountId,
    acceptedAt,
    mode,
    window,
    status: isDecided ? 'decided' : header.state === 'accepting' ? 'accepting' : 'pending',
    counts: { total, granted, rejected, pending: total - granted - rejected },
    reservations,
    ...(isDecided && next >= total ? {} : { nextCursor: String(next) }),
  };
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
