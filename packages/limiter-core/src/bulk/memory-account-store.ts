import { type AccountChange, type AccountState, applyChange, newAccount } from './account.ts';
import type { AccountStore, StoredAccount, StoredOutcome } from './account-store.ts';
import { type ChunkKey, chunkIdOf, type LedgerEntry } from './ledger.ts';

/** An account store in memory: for tests, simulations and a single process that may forget. */
export class MemoryAccountStore implements AccountStore {
  readonly #accounts = new Map<string, AccountState>();
  readonly #overrides = new Map<string, unknown>();
  readonly #ledger = new Map<string, LedgerEntry>();

  async readAccounts(accountIds: readonly string[]): Promise<ReadonlyMap<string, StoredAccount>> {
    return new Map(
      accountIds.map((id) => [id, { state: this.#accounts.get(id) ?? newAccount, overrides: this.#overrides.get(id) }]),
    );
  }

  async readLedger(chunks: readonly ChunkKey[]): Promise<ReadonlyMap<string, StoredOutcome>> {
    const found = new Map<string, StoredOutcome>();
    for (const id of chunks.map(chunkIdOf)) {
      const entry = this.#ledger.get(id);
      if (entry !== undefined) found.set(id, { outcome: entry.outcome, complete: entry.rows !== undefined });
    }
    return found;
  }

  async writeAccount(change: AccountChange): Promise<'written' | 'conflict'> {
    const after = applyChange(this.#accounts.get(change.accountId) ?? newAccount, change);
    if (after === undefined) return 'conflict';
    this.#accounts.set(change.accountId, after);
    return 'written';
  }

  async writeLedger(entries: readonly LedgerEntry[]): Promise<ReadonlyMap<string, Error>> {
    for (const entry of entries) this.#ledger.set(chunkIdOf(entry), entry);
    return new Map();
  }

  async writeLedgerIfAbsent(entry: LedgerEntry): Promise<void> {
    const id = chunkIdOf(entry);
    if (!this.#ledger.has(id)) this.#ledger.set(id, entry);
  }

  /** Sets what an account's policy overrides; undefined removes it. */
  setOverrides(accountId: string, overrides: unknown): void {
    this.#overrides.set(accountId, overrides);
  }

  /** Everything the ledger holds. */
  ledger(): LedgerEntry[] {
    return [...this.#ledger.values()];
  }
}
