import type { AccountState, Receipt } from './account.ts';
import { type ChunkKey, chunkKeyOf } from './ledger.ts';

// Bytes as the DynamoDB store keeps an account; its tests hold the estimate to what is really stored.
const accountBytes = 84;
const openWindowBytes = 65;
const closedWindowBytes = 10;
const receiptBytes = 36;
const bookingIdBytes = 39;
const outcomeBytes = 34;
const mixedRowBits = 3;

/** A chunk as a receipt to come is estimated by: with rows that are partly granted. */
type ChunkToCome = ChunkKey & { readonly rows: readonly unknown[] };

/**
 * An account's size when so many chunks more have been settled: an estimate in bytes, from what is known without asking
 * the store. Costs of writes go by it, and no decision.
 */
export function sizeOf(
  { accountId, state }: { readonly accountId: string; readonly state: AccountState },
  chunks: readonly ChunkToCome[],
): number {
  const open = Math.max(1, state.usage.size - state.closed.size);
  const receipts = [...state.receipts.values()].map(sizeOfReceipt);
  const next = sizeOfOutcomes(chunks.map((chunk) => ({ ...chunk, mixedRows: chunk.rows.length })));
  return (
    accountBytes +
    accountId.length +
    openWindowBytes * open +
    closedWindowBytes * state.closed.size +
    receipts.reduce((sum, bytes) => sum + bytes, 0) +
    next
  );
}

function sizeOfReceipt(receipt: Receipt): number {
  return sizeOfOutcomes(
    [...receipt].map(([id, { reasons }]) => ({
      ...chunkKeyOf(id),
      mixedRows: reasons.every((reason) => reason === reasons[0]) ? 0 : reasons.length,
    })),
  );
}

function sizeOfOutcomes(chunks: readonly (ChunkKey & { readonly mixedRows: number })[]): number {
  if (chunks.length === 0) return 0;
  const bookings = new Set(chunks.map(({ bookingId }) => bookingId)).size;
  const rows = chunks.reduce((sum, { mixedRows }) => sum + mixedRows, 0);
  return receiptBytes + bookingIdBytes * bookings + outcomeBytes * chunks.length + Math.ceil((rows * mixedRowBits) / 8);
}
