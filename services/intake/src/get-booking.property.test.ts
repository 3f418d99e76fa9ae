import {
  type BookingStatus,
  bookingIdOf,
  bookingKeyFor,
  cutText,
  type HeaderItem,
  statusPageRows,
} from '@usher/contracts';
import { type ChunkRange, type LedgerEntry, virtualClock, windowAt } from '@usher/limiter-core/bulk';
import { recordingLog, recordingMeter } from '@usher/service/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { getBooking } from './get-booking.ts';
import type { HeaderStore } from './header-store.ts';
import { outcomeOf } from './testing/ledger.ts';
import { noon } from './testing/start-intake.ts';

const bookingId = bookingIdOf(bookingKeyFor('acme', 'k'), Date.parse(noon));

interface Case {
  readonly rowCounts: readonly number[];
  /** Of each chunk, whether it is decided. */
  readonly decided: readonly boolean[];
  /** Chunks that the header counts. */
  readonly counted: number;
  readonly offset: number;
}

const draw = fc.double({ min: 0, max: 1, noNaN: true });

/** Chunks of a booking, cut by rows or by bytes: their rows, and what draws whether they are decided. */
const cut = fc
  .constantFrom(100, 1)
  .chain((least) =>
    fc.array(fc.tuple(fc.integer({ min: least, max: 100 }), draw), { minLength: 1, maxLength: 60, size: 'max' }),
  );

const cases: fc.Arbitrary<Case> = cut.chain((chunks) => {
  const rowCounts = chunks.map(([rows]) => rows);
  const total = sum(rowCounts);
  const borders = rowCounts.map((_, chunk) => sum(rowCounts.slice(0, chunk)));
  return fc
    .record({
      share: fc.constantFrom(0.5, 0.95, 1),
      part: draw,
      offset: fc.oneof(fc.integer({ min: 0, max: total }), fc.constantFrom(...borders, total)),
    })
    .map(({ share, part, offset }) => {
      const decided = chunks.map(([, drawn]) => drawn <= share);
      return { rowCounts, decided, counted: Math.floor(prefixOf(decided) * part), offset };
    });
});

test('a page tells the rows up to the first undecided chunk and counts all, from the chunks that it needs', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async (given) => {
      const { page, read, queries, kept } = await pageOf(given);
      expect(page).toMatchObject(expectedOf(given));
      expect('nextCursor' in page).toBe(expectedOf(given).nextCursor !== undefined);
      const needed = neededBy(given);
      expect(read).toEqual(needed);
      expect(queries).toBe(needed.filter((chunk) => !needed.includes(chunk - 1)).length);
      const all = given.rowCounts.length;
      const prefix = prefixOf(given.decided);
      const isKept = prefix - given.counted >= 10 || (prefix === all && prefix > given.counted);
      expect(kept).toEqual(isKept ? [{ chunks: prefix, ...countsOf(given, prefix) }] : []);
    }),
    { numRuns: 300 },
  );
});

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** The chunks before the first undecided one. */
function prefixOf(decided: readonly boolean[]): number {
  const gap = decided.indexOf(false);
  return gap < 0 ? decided.length : gap;
}

/** Each chunk's first row is rejected. */
function countsOf({ rowCounts, decided }: Case, chunks: number): { granted: number; rejected: number } {
  const rows = rowCounts.filter((_, chunk) => chunk < chunks && decided[chunk]);
  return { granted: sum(rows) - rows.length, rejected: rows.length };
}

function expectedOf(
  given: Case,
): Pick<BookingStatus, 'status' | 'counts' | 'nextCursor'> & { reservations: unknown[] } {
  const { rowCounts, decided, offset } = given;
  const total = sum(rowCounts);
  const end = sum(rowCounts.slice(0, prefixOf(decided)));
  const ids = Array.from({ length: total }, (_, row) => `r${row}`);
  const shown = ids.slice(offset, Math.max(offset, Math.min(end, offset + statusPageRows)));
  const next = offset + shown.length;
  const isDecided = prefixOf(decided) === rowCounts.length;
  const counts = countsOf(given, rowCounts.length);
  return {
    status: isDecided ? 'decided' : 'pending',
    counts: { total, ...counts, pending: total - counts.granted - counts.rejected },
    reservations: shown.map((id) => expect.objectContaining({ id })),
    ...(isDecided && next >= total ? {} : { nextCursor: String(next) }),
  };
}

/** The chunks that hold the page's rows, and those that the header does not count. */
function neededBy({ rowCounts, counted, offset }: Case): number[] {
  const chunks = rowCounts.map((rows, chunk) => {
    const first = sum(rowCounts.slice(0, chunk));
    return { chunk, isOnPage: first + rows > offset && first < offset + statusPageRows };
  });
  return chunks.filter(({ chunk, isOnPage }) => isOnPage || chunk >= counted).map(({ chunk }) => chunk);
}

async function pageOf(given: Case): Promise<{ page: BookingStatus; read: number[]; queries: number; kept: unknown[] }> {
  const { rowCounts, decided, counted, offset } = given;
  const read: number[] = [];
  let queries = 0;
  const kept: unknown[] = [];
  const header: HeaderItem = {
    bookingId,
    accountId: 'acme',
    acceptedAt: noon,
    window: { ...windowAt(Date.parse(noon), 'UTC') },
    mode: 'partial',
    total: sum(rowCounts),
    cut: cutText(rowCounts),
    digest: 'd'.repeat(64),
    state: 'accepted',
    ...(counted > 0 && { countedChunks: counted, counts: countsOf(given, counted) }),
    nonce: 'n',
    expiresAt: 1,
  };
  const entries = rowCounts.flatMap((rows, chunkIndex): LedgerEntry[] => {
    if (!decided[chunkIndex]) return [];
    const before = sum(rowCounts.slice(0, chunkIndex));
    const outcome = outcomeOf(Array.from({ length: rows }, (_, row) => (row === 0 ? 'exceeds_limit' : null)));
    const ids = Array.from({ length: rows }, (_, row) => ({ id: `r${before + row}`, cost: 1 }));
    return [{ bookingId, chunkIndex, accountId: 'acme', outcome, rows: ids }];
  });
  const ledger = {
    read: async ({ first, last }: ChunkRange) => {
      queries++;
      for (let chunk = first; chunk <= last; chunk++) read.push(chunk);
      return { entries: entries.filter(({ chunkIndex: at }) => at >= first && at <= last), unreadable: [] };
    },
  };
  const unasked = () => Promise.reject(new Error('not asked here'));
  const headers: HeaderStore = {
    read: async () => header,
    keepCounts: async (_, of) => kept.push(of) > 0,
    readAll: unasked,
    create: unasked,
    takeOver: unasked,
    giveUp: unasked,
    markAccepted: unasked,
    list: unasked,
  };
  const ports = { headers, ledger, clock: virtualClock(noon), log: recordingLog([]), meter: recordingMeter(new Map()) };
  const found = await getBooking(ports, { accountId: 'acme', bookingId, cursor: String(offset) });
  if (found.kind === 'refused') throw new Error('the booking is there');
  return { page: found.page, read: read.toSorted((a, b) => a - b), queries, kept };
}
