import { type ChunkKey, chunkIdOf } from '../ledger.ts';

/** An item's key. Every key of the table is spelled in this file and nowhere else (architecture, "Items"). */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

/**
 * Keys of all items. No two services write below one prefix of a partition key, for that is all that IAM tells apart
 * (ADR 0014).
 */
export const keys = {
  account: (accountId: string): ItemKey => ({ pk: `account#${accountId}`, sk: 'quota' }),
  policy: (accountId: string): ItemKey => ({ pk: `policy#${accountId}`, sk: 'current' }),
  /** A booking's header lies under the first part of its id, which account and idempotency key alone make. */
  header: (bookingKey: string): ItemKey => ({ pk: `booking#${bookingKey}`, sk: 'header' }),
  /** Sort keys ascend with the chunk, so a range of chunks is a range of keys. */
  ledger: ({ bookingId, chunkIndex }: ChunkKey): ItemKey => ({
    pk: keys.ledgerPartition(bookingId),
    sk: `c#${String(chunkIndex).padStart(5, '0')}`,
  }),
  ledgerPartition: (bookingId: string): string => `ledger#${bookingId}`,
  hop: (chunk: ChunkKey): ItemKey => ({ pk: keys.hopPartition(chunkIdOf(chunk)), sk: 'hop' }),
  hopPartition: (chunkId: string): string => `pacing#${chunkId}`,
} as const;

/** Keys of limits per request, as their store is told them: it makes the partition key of limiter and key. */
export const limitKeys = { prefix: 'rate#', sortKey: { name: 'sk', value: 'limit' } } as const;

/** The chunk whose ledger item has this key, or undefined where it is no such key. */
export function chunkOfLedgerKey({ pk, sk }: ItemKey): ChunkKey | undefined {
  const [, bookingId] = /^ledger#(.+)$/.exec(pk) ?? [];
  const [, chunk] = /^c#(\d{5,})$/.exec(sk) ?? [];
  return bookingId === undefined || chunk === undefined ? undefined : { bookingId, chunkIndex: Number(chunk) };
}
