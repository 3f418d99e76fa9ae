import type { CorruptItemError } from './errors.ts';
import type { Outcome } from './outcome.ts';

/** A chunk's key: one chunk of one booking, the unit of idempotency. */
export interface ChunkKey {
  readonly bookingId: string;
  /** 0-based index within the booking. */
  readonly chunkIndex: number;
}

/** The id of a chunk, `<bookingId>#<chunk>`: deduplication id, receipt name and prefix of event ids. */
export function chunkIdOf({ bookingId, chunkIndex }: ChunkKey): string {
  return `${bookingId}#${chunkIndex}`;
}

/** The chunk that an id names. */
export function chunkKeyOf(chunkId: string): ChunkKey {
  const at = chunkId.lastIndexOf('#');
  return { bookingId: chunkId.slice(0, at), chunkIndex: Number(chunkId.slice(at + 1)) };
}

/** A row of a chunk: one reservation, without its details. */
export interface ChunkRow {
  readonly id: string;
  /** A whole number ≥ 1. */
  readonly cost: number;
}

/** A chunk's outcome as the ledger keeps it. */
export interface LedgerEntry extends ChunkKey {
  readonly accountId: string;
  readonly outcome: Outcome;
  /**
   * Absent where the outcome came from a receipt alone, which lacks the rows; the chunk's own redelivery, the one
   * thing that can still be under way then, completes it.
   */
  readonly rows?: readonly ChunkRow[];
}

/** Rows granted and rejected of a booking whose every chunk is decided. */
export interface DecidedCounts {
  readonly granted: number;
  readonly rejected: number;
}

/** A booking's part of the ledger: entries in the order of its chunks, and what cannot be read. */
export interface BookingLedger {
  readonly entries: readonly LedgerEntry[];
  readonly unreadable: readonly CorruptItemError[];
}

/** Reads a booking's decisions, consistently. What is past its time is absent. */
export interface LedgerReader {
  read(bookingId: string, nowMs: number): Promise<BookingLedger>;
  /**
   * The booking's rows by verdict, or null while a chunk of it is not decided or lacks its rows. A booking whose last
   * chunk is not decided costs one read of one item.
   *
   * @throws CorruptItemError
   */
  countDecided(
    booking: { readonly bookingId: string; readonly chunks: number },
    nowMs: number,
  ): Promise<DecidedCounts | null>;
}
