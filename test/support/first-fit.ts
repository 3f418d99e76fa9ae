import type { Bulk } from './world.ts';

/** A booking with the id that it was accepted under. */
export interface Accepted extends Bulk {
  readonly bookingId: string;
}

export type Reason = 'daily_quota_exceeded' | 'exceeds_limit' | null;

/** The expected decision of a chunk: per row the reason against it, or null where it is granted. */
export interface ExpectedChunk {
  readonly chunkId: string;
  readonly accountId: string;
  readonly rows: readonly { readonly id: string; readonly cost: number; readonly reason: Reason }[];
}

const chunkRows = 100;

/**
 * Decides bookings by hand, in the order given: each row is granted if it still fits the account's limit. Nothing of
 * Usher's own is used for it.
 */
export function firstFit(bookings: readonly Accepted[], limitOf: (accountId: string) => number): ExpectedChunk[] {
  const used = new Map<string, number>();
  return bookings.flatMap(({ accountId, bookingId, key, costs }) => {
    const limit = limitOf(accountId);
    const rows = costs.map((cost, row) => {
      const before = used.get(accountId) ?? 0;
      const reason: Reason = cost > limit ? 'exceeds_limit' : before + cost > limit ? 'daily_quota_exceeded' : null;
      if (reason === null) used.set(accountId, before + cost);
      return { id: `${key}-${row}`, cost, reason };
    });
    return Array.from({ length: Math.ceil(rows.length / chunkRows) }, (_, chunk) => ({
      chunkId: `${bookingId}#${chunk}`,
      accountId,
      rows: rows.slice(chunk * chunkRows, (chunk + 1) * chunkRows),
    }));
  });
}

/** The cost of the rows that were granted. */
export function grantedCost(chunks: readonly ExpectedChunk[]): number {
  return costOf(chunks, (reason) => reason === null);
}

/** The cost of the rows that were rejected. */
export function rejectedCost(chunks: readonly ExpectedChunk[]): number {
  return costOf(chunks, (reason) => reason !== null);
}

function costOf(chunks: readonly ExpectedChunk[], counts: (reason: Reason) => boolean): number {
  return chunks
    .flatMap(({ rows }) => rows)
    .reduce((total, { cost, reason }) => (counts(reason) ? total + cost : total), 0);
}
