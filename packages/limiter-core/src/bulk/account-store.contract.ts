import { beforeEach, describe, expect, test } from 'vitest';
import { type AccountChange, newAccount } from './account.ts';
import type { AccountStore, StoredAccount, StoredOutcome } from './account-store.ts';
import { type ChunkKey, chunkIdOf, type LedgerEntry } from './ledger.ts';
import type { Outcome } from './outcome.ts';

/** A store to hold to the contract, empty. */
export interface AccountStoreUnderTest {
  readonly store: AccountStore;
  /** Stores what an account's policy overrides, by whatever way the store has for it. */
  readonly setOverrides: (accountId: string, overrides: object) => Promise<void>;
}

const today = '2026-11-29';
const noon = Date.parse('2026-11-29T12:00:00.000Z');

const outcome: Outcome = {
  digest: '0123456789abcdef'.repeat(2),
  date: today,
  reasons: [null, 'daily_quota_exceeded', 'exceeds_limit'],
  usedBefore: 3,
  grantedCost: 2,
  rejectedCost: 40,
  limit: 10,
  limitBefore: null,
  debtMicros: 1_234_567,
  refillPerSecond: 0.1,
  burst: 20,
  policyMode: 'enforce',
  thresholds: [0.8, 1],
  settledAtMs: noon,
};

const change: AccountChange = {
  accountId: 'acme',
  seenRev: null,
  enforced: true,
  windows: new Map([[today, { granted: 2, rejected: 40, over: 0, limit: 10 }]]),
  bucket: { tatMicros: noon * 1000 + 1, refillPerSecond: 0.1, burst: 3, asOfMs: noon - 1 },
  history: undefined,
  endedDates: [],
  receipt: new Map([['bk_a#0', outcome]]),
  prunedReceipts: [],
};

const entry: LedgerEntry = {
  bookingId: 'bk_a',
  chunkIndex: 0,
  accountId: 'acme',
  outcome,
  rows: [
    { id: 'A-1', cost: 2 },
    { id: 'A-2', cost: 20 },
    { id: 'A-3', cost: 20 },
  ],
};

/**
 * Registers the tests that every {@link AccountStore} must pass (vitest).
 *
 * @param start makes an empty store; called before each test
 */
export function accountStoreContract(name: string, start: () => Promise<AccountStoreUnderTest>): void {
  describe(`${name} keeps the contract of an account store`, () => {
    let store: AccountStore;
    let setOverrides: AccountStoreUnderTest['setOverrides'];

    beforeEach(async () => {
      ({ store, setOverrides } = await start());
    });

    async function accountOf(accountId: string): Promise<StoredAccount> {
      const account = (await store.readAccounts([accountId])).get(accountId);
      if (account === undefined || account instanceof Error) throw new Error('unreadable', { cause: account });
      return account;
    }

    async function ledgerOf(chunkId: string, chunk: ChunkKey): Promise<StoredOutcome> {
      const found = (await store.readLedger([chunk])).get(chunkId);
      if (found === undefined || found instanceof Error) throw new Error('unreadable', { cause: found });
      return found;
    }

    test('an account never written is a new one, and every account asked for has an answer', async () => {
      await store.writeAccount(change);
      const accounts = await store.readAccounts(['acme', 'other']);
      expect([...accounts.keys()].sort()).toEqual(['acme', 'other']);
      expect(accounts.get('other')).toEqual({ state: newAccount, overrides: undefined });
    });

    test('no accounts and no chunks asked for are no accounts and no outcomes', async () => {
      expect(await store.readAccounts([])).toEqual(new Map());
      expect(await store.readLedger([])).toEqual(new Map());
      expect(await store.writeLedger([])).toEqual(new Map());
    });

    test('a change is read back whole: counters, bucket and receipts', async () => {
      expect(await store.writeAccount(change)).toBe('written');
      expect((await accountOf('acme')).state).toEqual({
        rev: 1,
        usage: new Map([[today, { used: 2, rejected: 40, over: 0, limit: 10 }]]),
        closed: new Set(),
        bucket: change.bucket,
        receipts: new Map([[1, change.receipt]]),
      });
    });

    test('changes add up, window by window, and the bucket stays where a change has none', async () => {
      await store.writeAccount(change);
      const windows = new Map([
        [today, { granted: 8, rejected: 1, over: 0, limit: 10 }],
        ['2026-11-30', { granted: 0, rejected: 5, over: 0, limit: 10 }],
      ]);
      expect(await store.writeAccount({ ...change, seenRev: 1, windows, bucket: undefined, receipt: new Map() })).toBe(
        'written',
      );
      expect((await accountOf('acme')).state).toEqual({
        rev: 2,
        usage: new Map([
          [today, { used: 10, rejected: 41, over: 0, limit: 10 }],
          ['2026-11-30', { used: 0, rejected: 5, over: 0, limit: 10 }],
        ]),
        closed: new Set(),
        bucket: change.bucket,
        receipts: new Map([[1, change.receipt]]),
      });
    });

    test('pruned receipts are gone whole, all others stay', async () => {
      const second = new Map([
        ['bk_a#1', { ...outcome, debtMicros: 7 }],
        ['bk_b#0', { ...outcome, date: '2026-11-28' }],
      ]);
      await store.writeAccount(change);
      await store.writeAccount({ ...change, seenRev: 1, windows: new Map(), receipt: second });
      await store.writeAccount({ ...change, seenRev: 2, windows: new Map(), prunedReceipts: [1, 77] });
      const { receipts } = (await accountOf('acme')).state;
      expect(receipts).toEqual(
        new Map([
          [2, second],
          [3, change.receipt],
        ]),
      );
      expect([...(receipts.get(2)?.keys() ?? [])]).toEqual(['bk_a#1', 'bk_b#0']);
    });

    test('an ended window is closed where the history has it, and gone where not', async () => {
      const windowChange = { granted: 1, rejected: 1, over: 0, limit: 10 };
      await store.writeAccount({
        ...change,
        windows: new Map(['2026-09-01', '2026-11-26', today].map((date) => [date, windowChange])),
      });
      const closed = { used: 1, rejected: 1, over: 0, limit: 10 };
      await store.writeAccount({
        ...change,
        seenRev: 1,
        windows: new Map([[today, windowChange]]),
        history: new Map([['2026-11-26', closed]]),
        endedDates: ['2026-09-01', '2026-11-26'],
      });
      const { state } = await accountOf('acme');
      expect(state.closed).toEqual(new Set(['2026-11-26']));
      expect(state.usage).toEqual(
        new Map([
          ['2026-11-26', closed],
          [today, { used: 2, rejected: 2, over: 0, limit: 10 }],
        ]),
      );
    });

    test('closed windows are replaced as a whole, under the rev alone, and stay where a change has no history', async () => {
      const closed = { used: 9, rejected: 0, over: 1, limit: null };
      await store.writeAccount({ ...change, history: new Map([['2026-11-20', closed]]) });
      await store.writeAccount({ ...change, seenRev: 1, windows: new Map() });
      expect((await accountOf('acme')).state.usage.get('2026-11-20')).toEqual(closed);
      const history = new Map([['2026-11-21', { ...closed, used: 3 }]]);
      expect(await store.writeAccount({ ...change, seenRev: 1, windows: new Map(), history })).toBe('conflict');
      expect(await store.writeAccount({ ...change, seenRev: 2, windows: new Map(), history })).toBe('written');
      const { state } = await accountOf('acme');
      expect(state.closed).toEqual(new Set(['2026-11-21']));
      expect([...state.usage.keys()].sort()).toEqual(['2026-11-21', today]);
    });

    test.each([
      { story: 'a first write on an account that exists', seenRev: null },
      { story: 'a write on an older rev', seenRev: 0 },
      { story: 'a write on a rev not reached yet', seenRev: 2 },
    ])('$story is a conflict and changes nothing', async ({ seenRev }) => {
      await store.writeAccount(change);
      const before = await accountOf('acme');
      expect(await store.writeAccount({ ...change, seenRev })).toBe('conflict');
      expect(await accountOf('acme')).toEqual(before);
    });

    test('a rev seen on an account that is not there is a conflict', async () => {
      expect(await store.writeAccount({ ...change, seenRev: 1 })).toBe('conflict');
      expect((await accountOf('acme')).state).toEqual(newAccount);
    });

    test('the store itself refuses to pass the limit in enforce mode, and changes nothing then', async () => {
      await store.writeAccount(change);
      const before = await accountOf('acme');
      const windows = new Map([[today, { granted: 9, rejected: 0, over: 0, limit: 10 }]]);
      expect(await store.writeAccount({ ...change, seenRev: 1, windows })).toBe('conflict');
      expect(await accountOf('acme')).toEqual(before);
    });

    test('one window at its limit refuses the whole change, the other window included', async () => {
      await store.writeAccount(change);
      const windows = new Map([
        ['2026-11-30', { granted: 1, rejected: 0, over: 0, limit: 10 }],
        [today, { granted: 9, rejected: 0, over: 0, limit: 10 }],
      ]);
      expect(await store.writeAccount({ ...change, seenRev: 1, windows })).toBe('conflict');
      expect((await accountOf('acme')).state.usage.has('2026-11-30')).toBe(false);
    });

    test('reaching the limit exactly is no conflict', async () => {
      await store.writeAccount(change);
      const windows = new Map([[today, { granted: 8, rejected: 0, over: 0, limit: 10 }]]);
      expect(await store.writeAccount({ ...change, seenRev: 1, windows })).toBe('written');
    });

    test('denials are written though the limit was lowered below the usage', async () => {
      await store.writeAccount(change);
      const windows = new Map([[today, { granted: 0, rejected: 3, over: 0, limit: 1 }]]);
      expect(await store.writeAccount({ ...change, seenRev: 1, windows, bucket: undefined })).toBe('written');
      expect((await accountOf('acme')).state.usage.get(today)).toEqual({ used: 2, rejected: 43, over: 0, limit: 1 });
    });

    test('observe mode passes the limit and counts what is over it', async () => {
      const windows = new Map([[today, { granted: 15, rejected: 0, over: 5, limit: 10 }]]);
      expect(await store.writeAccount({ ...change, enforced: false, windows })).toBe('written');
      expect(await store.writeAccount({ ...change, enforced: false, seenRev: 1, windows })).toBe('written');
      expect((await accountOf('acme')).state.usage.get(today)).toEqual({ used: 30, rejected: 0, over: 10, limit: 10 });
    });

    test('of fifty writers that read the same rev exactly one is written', async () => {
      await store.writeAccount(change);
      const windows = new Map([[today, { granted: 1, rejected: 0, over: 0, limit: 1000 }]]);
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => store.writeAccount({ ...change, seenRev: 1, windows })),
      );
      expect(answers.filter((answer) => answer === 'written')).toHaveLength(1);
      expect((await accountOf('acme')).state).toMatchObject({ rev: 2 });
      expect((await accountOf('acme')).state.usage.get(today)?.used).toBe(3);
    });

    test('of fifty writers that found no account exactly one is written', async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => store.writeAccount(change)));
      expect(answers.filter((answer) => answer === 'written')).toHaveLength(1);
    });

    test('accounts named like properties of every object are accounts like any other', async () => {
      const ids = ['__proto__', 'constructor', 'toString'];
      for (const accountId of ids) expect(await store.writeAccount({ ...change, accountId })).toBe('written');
      await setOverrides('__proto__', { dailyLimit: 5 });
      const accounts = await store.readAccounts(ids);
      expect(accounts.get('__proto__')).toMatchObject({ state: { rev: 1 }, overrides: { dailyLimit: 5 } });
      expect(accounts.get('constructor')).toMatchObject({ state: { rev: 1 }, overrides: undefined });
    });

    test("an account's overrides come with it as they were stored, malformed or not, with or without a state", async () => {
      await setOverrides('acme', { dailyLimit: 7, thresholds: [0.5], nonsense: 'x' });
      expect(await accountOf('acme')).toEqual({
        state: newAccount,
        overrides: { dailyLimit: 7, thresholds: [0.5], nonsense: 'x' },
      });
      await store.writeAccount(change);
      expect(await accountOf('acme')).toMatchObject({ state: { rev: 1 }, overrides: { dailyLimit: 7 } });
    });

    test('a chunk that is not in the ledger has no outcome', async () => {
      await store.writeLedger([entry]);
      const found = await store.readLedger([entry, { bookingId: 'bk_a', chunkIndex: 1 }]);
      expect([...found.keys()]).toEqual(['bk_a#0']);
    });

    test('a written outcome is read back, complete where it has its rows', async () => {
      const { rows: _, ...bare } = { ...entry, chunkIndex: 1 };
      expect(await store.writeLedger([entry, bare])).toEqual(new Map());
      expect(await ledgerOf('bk_a#0', entry)).toEqual({ outcome, complete: true });
      expect(await ledgerOf('bk_a#1', bare)).toEqual({ outcome, complete: false });
    });

    test('writing the same chunk twice, even in one call, is one entry', async () => {
      expect(await store.writeLedger([entry, entry])).toEqual(new Map());
      expect(await store.writeLedger([entry])).toEqual(new Map());
      expect(await ledgerOf('bk_a#0', entry)).toEqual({ outcome, complete: true });
    });

    test('an outcome from a receipt alone gives way to one with its rows, never the other way', async () => {
      const { rows: _, ...bare } = entry;
      await store.writeLedgerIfAbsent(bare);
      expect(await ledgerOf('bk_a#0', entry)).toEqual({ outcome, complete: false });
      await store.writeLedger([entry]);
      expect(await ledgerOf('bk_a#0', entry)).toEqual({ outcome, complete: true });
      await store.writeLedgerIfAbsent(bare);
      expect(await ledgerOf('bk_a#0', entry)).toEqual({ outcome, complete: true });
    });

    test('a large batch is written and read whole, and a chunk asked for twice is answered once', async () => {
      const entries = Array.from({ length: 130 }, (_, chunkIndex) => ({ ...entry, chunkIndex }));
      expect(await store.writeLedger(entries)).toEqual(new Map());
      const found = await store.readLedger([entry, ...entries]);
      expect(found.size).toBe(130);
      expect(entries.every((one) => found.get(chunkIdOf(one)) !== undefined)).toBe(true);
    });

    test('an account asked for twice is answered once', async () => {
      await store.writeAccount(change);
      expect([...(await store.readAccounts(['acme', 'acme'])).keys()]).toEqual(['acme']);
    });

    test('many accounts are read in one question, each by its own name', async () => {
      const ids = Array.from({ length: 60 }, (_, i) => `account-${i}`);
      await store.writeAccount({ ...change, accountId: 'account-59' });
      await setOverrides('account-58', { burst: 3 });
      const accounts = await store.readAccounts(ids);
      expect(accounts.size).toBe(60);
      expect(accounts.get('account-59')).toMatchObject({ state: { rev: 1 } });
      expect(accounts.get('account-58')).toEqual({ state: newAccount, overrides: { burst: 3 } });
    });
  });
}
