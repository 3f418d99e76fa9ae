import { beforeEach, describe, expect, test } from 'vitest';
import type { AccountStore } from './account-store.ts';
import type { LedgerEntry, LedgerReader } from './ledger.ts';
import type { Outcome } from './outcome.ts';

/** A reader to hold to the contract, and the store that writes the ledger it reads; both empty. */
export interface LedgerReaderUnderTest {
  readonly reader: LedgerReader;
  readonly store: Pick<AccountStore, 'writeLedger'>;
}

const noon = Date.parse('2026-11-29T12:00:00.000Z');

const outcome: Outcome = {
  digest: '0123456789abcdef'.repeat(2),
  date: '2026-11-29',
  reasons: [null, 'daily_quota_exceeded', null],
  usedBefore: 3,
  grantedCost: 3,
  rejectedCost: 20,
  limit: 10,
  limitBefore: null,
  debtMicros: 0,
  refillPerSecond: 10,
  burst: 20,
  policyMode: 'enforce',
  thresholds: [0.8, 1],
  settledAtMs: noon,
};

function entryOf(chunkIndex: number, fields: Partial<LedgerEntry> = {}): LedgerEntry {
  const costs = [2, 20, 1];
  const rows = costs.map((cost, row) => ({ id: `A-${chunkIndex}-${row}`, cost }));
  return { bookingId: 'bk_a', chunkIndex, accountId: 'acme', outcome, rows, ...fields };
}

function withoutRows({ rows: _, ...entry }: LedgerEntry): LedgerEntry {
  return entry;
}

/**
 * Registers the tests that every {@link LedgerReader} must pass (vitest).
 *
 * @param start makes an empty ledger; called before each test
 */
export function ledgerReaderContract(name: string, start: () => Promise<LedgerReaderUnderTest>): void {
  describe(`${name} keeps the contract of a ledger reader`, () => {
    let reader: LedgerReader;
    let store: LedgerReaderUnderTest['store'];

    beforeEach(async () => {
      ({ reader, store } = await start());
    });

    test('a booking of which nothing is decided is empty', async () => {
      await store.writeLedger([entryOf(0, { bookingId: 'bk_b' })]);
      expect(await reader.read({ bookingId: 'bk_a', first: 0, last: 99 })).toEqual({ entries: [], unreadable: [] });
    });

    test('entries come in the order of their chunks, with rows where there are any, and of that booking alone', async () => {
      const entries = [entryOf(0), withoutRows(entryOf(2)), entryOf(10)];
      await store.writeLedger([...entries.toReversed(), entryOf(1, { bookingId: 'bk_ab' })]);
      expect(await reader.read({ bookingId: 'bk_a', first: 0, last: 10 })).toEqual({ entries, unreadable: [] });
    });

    test('a range has its two ends and what is between, and nothing else', async () => {
      const entries = [8, 9, 10, 11, 99, 100].map((chunk) => entryOf(chunk));
      await store.writeLedger(entries);
      const chunksIn = async (first: number, last: number): Promise<number[]> =>
        (await reader.read({ bookingId: 'bk_a', first, last })).entries.map(({ chunkIndex }) => chunkIndex);
      expect(await chunksIn(9, 11)).toEqual([9, 10, 11]);
      expect(await chunksIn(12, 98)).toEqual([]);
      expect(await chunksIn(99, 99)).toEqual([99]);
      expect(await chunksIn(11, 99_999)).toEqual([11, 99, 100]);
    });
  });
}
