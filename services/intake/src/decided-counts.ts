import { type HeaderItem, rowCountsOf } from '@usher/contracts';
import {
  amounts,
  type ChunkRange,
  type ChunkRow,
  CorruptItemError,
  type LedgerEntry,
  type LedgerReader,
} from '@usher/limiter-core/bulk';
import { errorFields, type Log, type Meter } from '@usher/service';
import { reach, reportUnreadable } from './errors.ts';
import type { HeaderStore } from './header-store.ts';
import type { IntakeMetric } from './metrics.ts';

export interface CountPorts {
  readonly headers: HeaderStore;
  readonly ledger: LedgerReader;
  readonly log: Log;
  readonly meter: Meter<IntakeMetric>;
}

/** Rows granted and rejected in a booking's first so many chunks, all of which are decided. */
export interface Counted {
  readonly chunks: number;
  readonly granted: number;
  readonly rejected: number;
}

/** A chunk's outcome together with the rows it decides. */
export type Decided = LedgerEntry & { readonly rows: readonly ChunkRow[] };

export const nothingCounted: Counted = { chunks: 0, granted: 0, rejected: 0 };

/** Fewer chunks than this, newly decided, are not worth a write of the header before the booking's last. */
const countedStride = 10;

/** The counts that a booking's header holds. */
export function countedOf({ counts, countedChunks }: HeaderItem): Counted {
  return counts === undefined || countedChunks === undefined ? nothingCounted : { chunks: countedChunks, ...counts };
}

/** Counts on through decided chunks, up to the first that is missing. */
export function countOn(counted: Counted, decided: readonly Decided[]): Counted {
  return decided.reduce((sum, { chunkIndex, outcome }) => {
    if (chunkIndex !== sum.chunks) return sum;
    const { granted, rejected } = amounts(outcome);
    return {
      chunks: sum.chunks + 1,
      granted: sum.granted + granted.count,
      rejected: sum.rejected + rejected.count,
    };
  }, counted);
}

/**
 * The decided chunks of a range. One whose item cannot be read, or has more or fewer rows than the chunk, is left out
 * and told to operators: its verdict is not known.
 */
export async function readDecided(
  ports: CountPorts,
  header: HeaderItem,
  range: Omit<ChunkRange, 'bookingId'>,
): Promise<Decided[]> {
  const { accountId, bookingId, cut } = header;
  if (range.first > range.last) return [];
  const { entries, unreadable } = await reach('The table', () => ports.ledger.read({ bookingId, ...range }));
  const rowCounts = rowCountsOf(cut);
  const isOtherChunk = ({ chunkIndex, outcome }: Decided): boolean => outcome.reasons.length !== rowCounts[chunkIndex];
  const complete = entries.filter((entry): entry is Decided => entry.rows !== undefined);
  const wrong = complete.filter(isOtherChunk).map(({ chunkIndex, outcome }) => {
    const rows = `it has ${outcome.reasons.length} rows, the booking's chunk ${rowCounts[chunkIndex] ?? 'none'}`;
    return new CorruptItemError(`ledger of ${bookingId}#${chunkIndex}`, rows);
  });
  for (const error of [...unreadable, ...wrong]) reportUnreadable(ports, error, { accountId, bookingId });
  return complete.filter((entry) => !isOtherChunk(entry));
}

/**
 * Counts a booking's chunks on from where its header has come to. Once all are counted it is decided, and its header
 * alone tells so from then on. Until then a booking whose last chunk is not decided costs one read of that item: an
 * account's chunks are decided in their order, but for those that an operator redrives.
 */
export async function countedNow(ports: CountPorts, header: HeaderItem): Promise<Counted> {
  const counted = countedOf(header);
  const last = rowCountsOf(header.cut).length - 1;
  if (counted.chunks > last) return counted;
  const end = await readDecided(ports, header, { first: last, last });
  if (end.length === 0) return counted;
  const before = await readDecided(ports, header, { first: counted.chunks, last: last - 1 });
  const now = countOn(counted, [...before, ...end]);
  await keepCounts(ports, header, now);
  return now;
}

/**
 * Writes counts to a booking's header, where they are worth it. Verdicts never change, so two writers write the same. A
 * write that fails is logged, and the next reader counts again.
 */
export async function keepCounts(
  { headers, log }: Pick<CountPorts, 'headers' | 'log'>,
  header: HeaderItem,
  counted: Counted,
): Promise<void> {
  const { accountId, bookingId, cut } = header;
  const more = counted.chunks - countedOf(header).chunks;
  const isWorthIt = more >= countedStride || (more > 0 && counted.chunks === rowCountsOf(cut).length);
  if (!isWorthIt) return;
  try {
    await headers.keepCounts(header, counted);
  } catch (error) {
    log.warn('counts not kept', { accountId, bookingId, ...errorFields(error) });
  }
}
