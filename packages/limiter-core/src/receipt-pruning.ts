import type { AccountState } from './account.ts';
import type { AccountStore, StoredOutcome } from './account-store.ts';
import { chunkKeyOf } from './ledger.ts';
import type { LedgerMemory } from './ledger-memory.ts';
import { isKept } from './retention.ts';

type Receipts = AccountState['receipts'];

/** One write removes at most this many attributes of a kind, which keeps its expression far below DynamoDB's 4 KB. */
export const maxPruned = 100;

/** More receipts than this of unknown standing and the ledger is asked about them. */
const maxUnknownReceipts = 8;

/** Receipts that one write removes: those whose outcome is in the ledger, and those past their time. */
export function prunedReceipts(
  receipts: Receipts,
  { prunable, nowMs }: { prunable: ReadonlySet<string>; nowMs: number },
): string[] {
  return [...receipts]
    .filter(([id, outcome]) => prunable.has(id) || !isKept(outcome, nowMs))
    .slice(0, maxPruned)
    .map(([id]) => id);
}

/** Receipts whose outcome is known to be in the ledger, which the account's next write may remove. */
export function prunableReceipts(receipts: Receipts, memory: LedgerMemory): Set<string> {
  return new Set([...receipts.keys()].filter((id) => memory.has(id)));
}

/**
 * Receipts of which this process does not know whether the ledger has them, once enough of them have gathered. One past
 * its time needs no ledger item any more: the next write removes it as it is.
 *
 * @param own ids of the chunks to settle, about which the ledger is asked in any case
 */
export function unknownReceipts(
  receipts: Receipts,
  { own, memory, nowMs }: { own: ReadonlySet<string>; memory: LedgerMemory; nowMs: number },
): string[] {
  const unknown = [...receipts]
    .filter(([id, outcome]) => !own.has(id) && !memory.has(id) && isKept(outcome, nowMs))
    .map(([id]) => id);
  return unknown.length > maxUnknownReceipts ? unknown : [];
}

/**
 * Learns which of the receipts asked about are in the ledger, so that the next write may remove them. One that is
 * missing there gets its entry first; a receipt lacks the rows, which the chunk's own redelivery adds.
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
  for (const id of asked) {
    const found = ledger.get(id);
    const outcome = receipts.get(id);
    if (found instanceof Error || outcome === undefined) continue;
    if (found === undefined) await store.writeLedgerIfAbsent({ ...chunkKeyOf(id), accountId, outcome });
    memory.add(id);
  }
}
