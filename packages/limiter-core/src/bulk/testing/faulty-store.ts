import type { AccountChange } from '../account.ts';
import type { AccountStore, StoredAccount, StoredOutcome } from '../account-store.ts';
import { type ChunkKey, chunkIdOf, type LedgerEntry } from '../ledger.ts';

/** A fault of one call of a store: it never arrives, or it is done and its answer is lost. */
export type StoreFault = 'none' | 'request lost' | 'reply lost';

/**
 * A store whose calls meet faults, and which keeps a list of them, `readAccounts acme,other` or `writeAccount acme`. `fault` is
 * asked before each call; `before` may do something first, such as letting another writer in.
 */
export class FaultyStore implements AccountStore {
  readonly calls: string[] = [];
  readonly #inner: AccountStore;
  readonly #fault: (call: string) => StoreFault;
  readonly #before: (call: string) => Promise<void>;

  constructor(
    inner: AccountStore,
    fault: (call: string) => StoreFault = () => 'none',
    before: (call: string) => Promise<void> = async () => {},
  ) {
    this.#inner = inner;
    this.#fault = fault;
    this.#before = before;
  }

  readAccounts(ids: readonly string[]): Promise<ReadonlyMap<string, StoredAccount | Error>> {
    return this.#call(`readAccounts ${ids.join(',')}`, () => this.#inner.readAccounts(ids));
  }

  readLedger(chunks: readonly ChunkKey[]): Promise<ReadonlyMap<string, StoredOutcome | Error>> {
    return this.#call(`readLedger ${chunks.map(chunkIdOf).join(',')}`, () => this.#inner.readLedger(chunks));
  }

  writeAccount(change: AccountChange): Promise<'written' | 'conflict'> {
    return this.#call(`writeAccount ${change.accountId}`, () => this.#inner.writeAccount(change));
  }

  writeLedger(entries: readonly LedgerEntry[]): Promise<ReadonlyMap<string, Error>> {
    return this.#call(`writeLedger ${entries.map(chunkIdOf).join(',')}`, () => this.#inner.writeLedger(entries));
  }

  writeLedgerIfAbsent(entry: LedgerEntry): Promise<void> {
    return this.#call(`writeLedgerIfAbsent ${chunkIdOf(entry)}`, () => this.#inner.writeLedgerIfAbsent(entry));
  }

  async #call<T>(call: string, run: () => Promise<T>): Promise<T> {
    this.calls.push(call);
    const fault = this.#fault(call);
    await this.#before(call);
    if (fault === 'request lost') throw new Error(`request lost: ${call}`);
    const answer = await run();
    if (fault === 'reply lost') throw new Error(`reply lost: ${call}`);
    return answer;
  }
}
