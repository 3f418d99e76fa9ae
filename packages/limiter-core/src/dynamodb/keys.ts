import type { ChunkKey } from '../ledger.ts';

/** An item's key. Every key of the table is spelled in this file and nowhere else (architecture, "Items"). */
export interface ItemKey {
  readonly pk: string;
  readonly sk: string;
}

const ledgerPrefix = 'chunk#';

export const keys = {
  account: (accountId: string): ItemKey => ({ pk: `account#${accountId}`, sk: 'quota' }),
  policy: (accountId: string): ItemKey => ({ pk: `account#${accountId}`, sk: 'policy' }),
  header: (bookingId: string): ItemKey => ({ pk: `booking#${bookingId}`, sk: 'header' }),
  ledger: ({ bookingId, chunkIndex }: ChunkKey): ItemKey => ({
    pk: `booking#${bookingId}`,
    sk: `${ledgerPrefix}${String(chunkIndex).padStart(5, '0')}`,
  }),
  /** The range of sort keys that holds a booking's ledger items, in the order of its chunks. */
  ledgerPrefix,
  bucket: (name: string, key: string): ItemKey => ({ pk: `rate#${part(name)}#${part(key)}`, sk: 'bucket' }),
} as const;

/** The chunk whose ledger item has this key, or undefined where it is no such key. */
export function chunkOfLedgerKey({ pk, sk }: ItemKey): ChunkKey | undefined {
  const [, bookingId] = /^booking#(.+)$/.exec(pk) ?? [];
  const [, chunk] = /^chunk#(\d{5,})$/.exec(sk) ?? [];
  return bookingId === undefined || chunk === undefined ? undefined : { bookingId, chunkIndex: Number(chunk) };
}

/**
 * A caller's text as a part of a joined key; no other text gives the same part. `#` joins the parts, and every lone
 * surrogate would be stored as the same U+FFFD, so both are escaped.
 */
function part(text: string): string {
  return text.replaceAll(/[%#\ud800-\udfff]/gu, (char) => `%${char.charCodeAt(0).toString(16)};`);
}
