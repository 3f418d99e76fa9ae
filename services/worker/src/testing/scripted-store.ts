import {
  type AccountChange,
  type ChunkKey,
  chunkIdOf,
  type LedgerEntry,
  MemoryAccountStore,
  purely,
  type StoredOutcome,
} from '@usher/limiter-core/bulk';
import { secret } from './messages.ts';

/** A store that fails where a test says so, as DynamoDB would after the SDK's own attempts. */
export class ScriptedStore extends MemoryAccountStore {
  /** Accounts whose write fails, applied or not. */
  readonly failingWrites = new Map<string, 'before' | 'after'>();
  /** Chunk ids that the ledger does not take. */
  readonly failingEntries = new Set<string>();
  /** Accounts whose next write meets one that was faster. */
  readonly contended = new Set<string>();
  /** Chunks that code fails on whenever they are to be written, as it would on a number it cannot encode. */
  readonly unwritable = new Set<string>();
  /** Chunks whose verdict in the ledger was made at an instant that no event can tell. */
  readonly untellable = new Set<string>();
  /** Told before each write. */
  onWrite: (change: AccountChange) => void = () => undefined;

  override async readLedger(chunks: readonly ChunkKey[]): Promise<ReadonlyMap<string, StoredOutcome>> {
    const read = [...(await super.readLedger(chunks))];
    return new Map(
      read.map(([id, found]) => {
        const outcome = { ...found.outcome, settledAtMs: Number.MAX_SAFE_INTEGER };
        return [id, this.untellable.has(id) ? { ...found, outcome } : found];
      }),
    );
  }

  override async writeAccount(change: AccountChange): Promise<'written' | 'conflict'> {
    this.onWrite(change);
    purely(() => {
      for (const id of change.receipt.keys()) if (this.unwritable.has(id)) throw new RangeError(`-1 ${secret}`);
    });
    if (this.contended.delete(change.accountId)) return 'conflict';
    const failing = this.failingWrites.get(change.accountId);
    if (failing === 'before') throw new Error('InternalServerError');
    const result = await super.writeAccount(change);
    if (failing === 'after') throw new Error('socket hang up');
    return result;
  }

  override async writeLedger(entries: readonly LedgerEntry[]): Promise<ReadonlyMap<string, Error>> {
    const failed = entries.map(chunkIdOf).filter((id) => this.failingEntries.has(id));
    await super.writeLedger(entries.filter((entry) => !this.failingEntries.has(chunkIdOf(entry))));
    return new Map(failed.map((id) => [id, new Error('InternalServerError')]));
  }
}
