import type { CorruptItemError } from '../errors.ts';
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

/** Chunks of a booking from one to another, both included. */
export interface ChunkRange {
  readonly bookingId: string;
  readonly first: number;
  readonly last: number;
}

/** A part of a booking's ledger: entries in the order of their chunks, and what cannot be read. */
export interface LedgerPart {
  readonly entries: readonly LedgerEntry[];
  readonly unreadable: readonly CorruptItemError[];
}

/** Reads a booking's decisions, consistently. */
export interface LedgerReader {
  /** A range without a decision is empty. It costs what its chunks' items take. */
  read(range: ChunkRange): Promise<LedgerPart>;
}
