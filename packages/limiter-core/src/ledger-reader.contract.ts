import { beforeEach, describe, expect, test } from 'vitest';
import type { AccountStore } from './account-store.ts';
import type { LedgerEntry, LedgerReader } from './ledger.ts';
import type { Outcome } from './outcome.ts';
import { retention } from './retention.ts';

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

    test('a booking of which nothing is decided is empty, and has no counts', async () => {
      await store.writeLedger([entryOf(0, { bookingId: 'bk_b' })]);
      expect(await reader.read('bk_a', noon)).toEqual({ entries: [], unreadable: [] });
      expect(await reader.countDecided({ bookingId: 'bk_a', chunks: 1 }, noon)).toBeNull();
    });

    test('entries come in the order of their chunks, with rows where there are any, and of that booking alone', async () => {
      const entries = [entryOf(0), withoutRows(entryOf(2)), entryOf(10)];
      await store.writeLedger([...entries.toReversed(), entryOf(1, { bookingId: 'bk_ab' })]);
      expect(await reader.read('bk_a', noon)).toEqual({ entries, unreadable: [] });
    });

    test('rows are counted by verdict once every chunk is decided', async () => {
      await store.writeLedger([entryOf(0), entryOf(1)]);
      expect(await reader.countDecided({ bookingId: 'bk_a', chunks: 2 }, noon)).toEqual({ granted: 4, rejected: 2 });
    });

    test('rows of a booking of one chunk are counted too', async () => {
      await store.writeLedger([entryOf(0)]);
      expect(await reader.countDecided({ bookingId: 'bk_a', chunks: 1 }, noon)).toEqual({ granted: 2, rejected: 1 });
    });

    test.each([
      { missing: 'the last chunk is missing', entries: [entryOf(0), entryOf(1)] },
      { missing: 'another chunk is missing', entries: [entryOf(0), entryOf(2)] },
      { missing: 'a chunk lacks its rows', entries: [entryOf(0), withoutRows(entryOf(1)), entryOf(2)] },
      { missing: 'the last chunk lacks its rows', entries: [entryOf(0), entryOf(1), withoutRows(entryOf(2))] },
    ])('there are no counts while $missing', async ({ entries }) => {
      await store.writeLedger(entries);
      expect(await reader.countDecided({ bookingId: 'bk_a', chunks: 3 }, noon)).toBeNull();
    });

    test('an outcome past its time is absent, whether it is deleted yet or not', async () => {
      await store.writeLedger([entryOf(0)]);
      const lastMs = noon + retention.outcomeMs - 1;
      expect((await reader.read('bk_a', lastMs)).entries).toHaveLength(1);
      expect(await reader.read('bk_a', lastMs + 1)).toEqual({ entries: [], unreadable: [] });
      expect(await reader.countDecided({ bookingId: 'bk_a', chunks: 1 }, lastMs + 1)).toBeNull();
    });
  });
}
