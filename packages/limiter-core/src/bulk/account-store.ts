import type { AccountChange, AccountState } from './account.ts';
import type { ChunkKey, LedgerEntry } from './ledger.ts';
import type { Outcome } from './outcome.ts';

/** An account and what its policy item overrides, read together. */
export interface StoredAccount {
  /** `newAccount` where there is no item. */
  readonly state: AccountState;
  /** The overrides as stored, still to be checked; undefined where there are none. */
  readonly overrides: unknown;
}

/** A chunk's outcome as the ledger holds it. */
export interface StoredOutcome {
  readonly outcome: Outcome;
  /** False where the rows are missing, because the entry was written from a receipt. */
  readonly complete: boolean;
}

/**
 * A store of accounts and their ledger. Each method is one storage call, more only to split what is too large for one or
 * to ask again for what was left unprocessed. Every read is consistent. A map's value is an Error where that one entry
 * could not be read or written: unread is never absent. A method rejects where it failed for all.
 */
export interface AccountStore {
  /** Reads accounts with their policies; the map has an entry for every id given. */
  readAccounts(accountIds: readonly string[]): Promise<ReadonlyMap<string, StoredAccount | Error>>;

  /** Reads outcomes by chunk id; a chunk without an entry in the map has no outcome in the ledger. */
  readLedger(chunks: readonly ChunkKey[]): Promise<ReadonlyMap<string, StoredOutcome | Error>>;

  /** Makes a change so if its conditions hold, all or nothing; `conflict` where the account was changed since. */
  writeAccount(change: AccountChange): Promise<'written' | 'conflict'>;

  /** Puts entries into the ledger; the map tells, by chunk id, which of them failed. */
  writeLedger(entries: readonly LedgerEntry[]): Promise<ReadonlyMap<string, Error>>;

  /** Puts an entry into the ledger unless that chunk has one. */
  writeLedgerIfAbsent(entry: LedgerEntry): Promise<void>;
}
