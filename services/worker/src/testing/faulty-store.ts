import { type AccountChange, chunkIdOf, type LedgerEntry, MemoryAccountStore } from '@usher/limiter-core';

/** A store that fails where a test says so, as DynamoDB would after the SDK's own attempts. */
export class FaultyStore extends MemoryAccountStore {
  /** Accounts whose write fails, applied or not. */
  readonly failingWrites = new Map<string, 'before' | 'after'>();
  /** Chunk ids that the ledger does not take. */
  readonly failingRecords = new Set<string>();
  /** Accounts whose next write meets one that was faster. */
  readonly contended = new Set<string>();
  /** Told before each write. */
  onWrite: (change: AccountChange) => void = () => undefined;

  override async write(change: AccountChange): Promise<'written' | 'conflict'> {
    this.onWrite(change);
    if (this.contended.delete(change.accountId)) return 'conflict';
    const failing = this.failingWrites.get(change.accountId);
    if (failing === 'before') throw new Error('InternalServerError');
    const result = await super.write(change);
    if (failing === 'after') throw new Error('socket hang up');
    return result;
  }

  override async record(entries: readonly LedgerEntry[]): Promise<ReadonlyMap<string, Error>> {
    const failed = entries.map(chunkIdOf).filter((id) => this.failingRecords.has(id));
    await super.record(entries.filter((entry) => !this.failingRecords.has(chunkIdOf(entry))));
    return new Map(failed.map((id) => [id, new Error('InternalServerError')]));
  }
}
