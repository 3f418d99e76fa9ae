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
  bucket: (name: string, key: string): ItemKey => ({ pk: `rate#${part(name)}#${part(key)}`, sk: 'bucket' }),
} as const;

/** The chunk whose ledger item has this key, or undefined where it is no such key. */
export function chunkOfLedgerKey({ pk, sk }: ItemKey): ChunkKey | undefined {
  const [, bookingId] = /^ledger#(.+)$/.exec(pk) ?? [];
  const [, chunk] = /^c#(\d{5,})$/.exec(sk) ?? [];
  return bookingId === undefined || chunk === undefined ? undefined : { bookingId, chunkIndex: Number(chunk) };
}

/**
 * A caller's text as a part of a joined key; no other text gives the same part. `#` joins the parts, and every lone
 * surrogate would be stored as the same U+FFFD, so both are escaped.
 */
function part(text: string): string {
  return text.replaceAll(/[%#\ud800-\udfff]/gu, (char) => `%${char.charCodeAt(0).toString(16)};`);
}
