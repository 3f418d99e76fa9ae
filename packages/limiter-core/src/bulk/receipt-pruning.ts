import { type AccountState, outcomesOf, type Receipt } from './account.ts';
import { sizeOf } from './account-size.ts';
import type { AccountStore, StoredOutcome } from './account-store.ts';
import { type ChunkKey, chunkIdOf, chunkKeyOf } from './ledger.ts';
import type { LedgerMemory } from './ledger-memory.ts';
import { isKept } from './retention.ts';

type Receipts = AccountState['receipts'];

/** One write removes at most this many receipts, which keeps its expression far below DynamoDB's 4 KB. */
const maxPruned = 100;

/** A write is paid for by so many bytes of the account. */
const unitBytes = 1024;

/** Receipts that one write removes, by their rev: those whose outcomes are all in the ledger, and those past their time. */
export function prunedReceipts(
  receipts: Receipts,
  { prunable, nowMs }: { prunable: ReadonlySet<number>; nowMs: number },
): number[] {
  return [...receipts]
    .filter(([rev, receipt]) => prunable.has(rev) || isPast(receipt, nowMs))
    .slice(0, maxPruned)
    .map(([rev]) => rev);
}

/** Receipts whose outcomes are all known to be in the ledger, by their rev: the account's next write may remove them. */
export function prunableReceipts(receipts: Receipts, memory: LedgerMemory): Set<number> {
  const isPrunable = (receipt: Receipt): boolean => [...receipt.keys()].every((id) => memory.has(id));
  return new Set([...receipts].filter(([, receipt]) => isPrunable(receipt)).map(([rev]) => rev));
}

/**
 * Chunks of receipts of which this process does not know whether the ledger has them, once the next write would cost
 * less without those receipts. One past its time needs no ledger item any more: the next write removes it as it is.
 *
 * @param chunks the chunks to settle, about which the ledger is asked in any case
 */
export function chunksToAsk(
  account: { readonly accountId: string; readonly state: AccountState },
  {
    chunks,
    memory,
    nowMs,
  }: {
    chunks: readonly (ChunkKey & { readonly rows: readonly unknown[] })[];
    memory: LedgerMemory;
    nowMs: number;
  },
): string[] {
  const own = new Set(chunks.map(chunkIdOf));
  const unknownOf = (receipt: Receipt): string[] => [...receipt.keys()].filter((id) => !own.has(id) && !memory.has(id));
  const unknown = new Map(
    [...account.state.receipts].filter(([, receipt]) => unknownOf(receipt).length > 0 && !isPast(receipt, nowMs)),
  );
  const unitsWith = (receipts: Receipts): number =>
    Math.ceil(sizeOf({ ...account, state: { ...account.state, receipts } }, chunks) / unitBytes);
  if (unitsWith(unknown) === unitsWith(new Map())) return [];
  return [...unknown.values()].flatMap(unknownOf);
}

/**
 * Learns which chunks of receipts are in the ledger, so that the next write may remove those receipts. One asked about
 * that is missing there gets its entry first; a receipt lacks the rows, which the chunk's own redelivery adds.
 */
export async function completeReceipts(
  accountId: string,
  {
    receipts,
    asked,
    ledger,
  }: { receipts: Receipts; asked: readonly string[]; ledger: ReadonlyMap<string, StoredOutcome | Error> },
  { store, memory }: { store: AccountStore; memory: LedgerMemory },
): Promise<void> {
  for (const [id, outcome] of outcomesOf(receipts)) {
    const found = ledger.get(id);
    if (found instanceof Error) continue;
    if (found === undefined && !asked.includes(id)) continue;
    if (found === undefined) await store.writeLedgerIfAbsent({ ...chunkKeyOf(id), accountId, outcome });
    memory.add(id);
  }
}

function isPast(receipt: Receipt, nowMs: number): boolean {
  return [...receipt.values()].every((outcome) => !isKept(outcome, nowMs));
}
