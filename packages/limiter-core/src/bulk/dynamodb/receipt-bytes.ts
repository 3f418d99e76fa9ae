import type { Receipt } from '../account.ts';
import { type ChunkKey, chunkIdOf, chunkKeyOf } from '../ledger.ts';
import type { Outcome } from '../outcome.ts';
import { ByteWriter } from './bytes.ts';
import { decoded, readTerms, readVerdict, type Terms, writeTerms, writeVerdict } from './outcome-bytes.ts';

const version = 1;

/**
 * Writes a receipt as bytes: the terms and the booking ids once, then about forty bytes for each chunk, in order.
 *
 * @throws RangeError where outcomes differ in their terms: one write decides under one policy at one instant; and where
 * one names no chunk
 */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  const entries = [...receipt].map(([id, outcome]) => ({ ...chunkKeyOf(id), outcome }));
  const [first] = entries;
  if (first === undefined) throw new RangeError('a receipt must have an outcome');
  if (!entries.every(({ outcome }) => haveSameTerms(outcome, first.outcome))) {
    throw new RangeError('the outcomes of a receipt must have the same terms');
  }
  for (const entry of entries) assertChunk(entry);
  const bookingIds = [...new Set(entries.map(({ bookingId }) => bookingId))];
  const out = new ByteWriter();
  out.byte(version);
  writeTerms(out, first.outcome);
  out.uint(bookingIds.length);
  for (const bookingId of bookingIds) out.text(bookingId);
  out.uint(entries.length);
  for (const { bookingId, chunkIndex, outcome } of entries) {
    out.uint(bookingIds.indexOf(bookingId));
    out.uint(chunkIndex);
    writeVerdict(out, outcome);
  }
  return out.bytes();
}

/**
 * Reads the bytes of {@link encodeReceipt}.
 *
 * @param item the item's name, for the error where the bytes are no receipt
 * @throws CorruptItemError
 */
export function decodeReceipt(bytes: Uint8Array, item: string): Map<string, Outcome> {
  return decoded(bytes, { item, what: 'receipt', version }, (input) => {
    const terms = readTerms(input);
    const bookingIds: string[] = [];
    for (let left = input.uint(); left > 0; left--) bookingIds.push(input.text());
    const receipt = new Map<string, Outcome>();
    for (let left = input.uint(); left > 0; left--) {
      const chunk = { bookingId: bookingIds[input.uint()] ?? '', chunkIndex: input.uint() };
      assertChunk(chunk);
      receipt.set(chunkIdOf(chunk), { ...terms, ...readVerdict(input) });
    }
    if (receipt.size === 0) throw new RangeError('a receipt must have an outcome');
    return receipt;
  });
}

/**
 * Refuses what is no chunk's key: one line of text, well-formed so that it is stored as it is. Read, it would fail the
 * question to the ledger for every account of the batch; written, the account could not be read any more.
 */
function assertChunk({ bookingId, chunkIndex }: ChunkKey): void {
  if (!/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,128}$/u.test(bookingId) || chunkIndex > 99_999) {
    throw new RangeError('an outcome must name a chunk');
  }
}

function haveSameTerms(a: Terms, b: Terms): boolean {
  return (
    a.settledAtMs === b.settledAtMs &&
    a.limit === b.limit &&
    a.refillPerSecond === b.refillPerSecond &&
    a.burst === b.burst &&
    a.policyMode === b.policyMode &&
    (a.thresholds === b.thresholds || a.thresholds.join() === b.thresholds.join())
  );
}
