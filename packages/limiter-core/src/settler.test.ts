import { beforeEach, describe, expect, test } from 'vitest';
import type { AccountStore, StoredAccount } from './account-store.ts';
import { type VirtualClock, virtualClock } from './clock.ts';
import { ContentionError, DeadlineError, InvalidPolicyError } from './errors.ts';
import { chunkIdOf } from './ledger.ts';
import { LedgerMemory } from './ledger-memory.ts';
import { MemoryAccountStore } from './memory-account-store.ts';
import type { ChunkToSettle } from './settle.ts';
import { type ChunkResult, type SettleCall, Settler, type SettlerOptions } from './settler.ts';
import {
  changeOf,
  chunkOf,
  dayMs,
  digestOf,
  noon,
  outcomeOf,
  policyOf,
  settledOutcome,
  today,
} from './testing/build.ts';
import { FaultyStore, type StoreFault } from './testing/faulty-store.ts';

let stored: MemoryAccountStore;
let clock: VirtualClock;

beforeEach(() => {
  stored = new MemoryAccountStore();
  clock = virtualClock(noon);
});

const noPause = { sleep: async (): Promise<void> => {}, random: (): number => 0 };

async function settleOn(
  store: AccountStore,
  groups: Record<string, ChunkToSettle[]>,
  {
    memory,
    isOverdue,
    onContention,
    ...options
  }: Partial<SettlerOptions> & SettleCall & { memory?: LedgerMemory } = {},
): Promise<ReadonlyMap<string, readonly ChunkResult[]>> {
  const settler = new Settler({ store, clock, defaultPolicy: policyOf(), retry: noPause, ...options }, memory);
  return settler.settleAll(new Map(Object.entries(groups)), {
    ...(isOverdue && { isOverdue }),
    ...(onContention && { onContention }),
  });
}

const kindsOf = (results: readonly ChunkResult[] | undefined): unknown => results?.map(({ kind }) => kind);
const errorOf = (result: ChunkResult | undefined): unknown => (result?.kind === 'failed' ? result.error : undefined);

async function usedBy(accountId: string): Promise<number> {
  return (await stored.readAccounts([accountId])).get(accountId)?.state.usage.get(today)?.used ?? 0;
}

async function receiptsOf(accountId: string): Promise<string[]> {
  return [...((await stored.readAccounts([accountId])).get(accountId)?.state.receipts.keys() ?? [])];
}

/** Another writer, who changes an account without a chunk of ours. */
async function interfere(accountId: string, serial: number): Promise<void> {
  const seenRev = (await stored.readAccounts([accountId])).get(accountId)?.state.rev ?? null;
  await stored.writeAccount(changeOf({ accountId, seenRev, receipts: new Map([[`bk_other#${serial}`, outcomeOf()]]) }));
}

const acme = chunkOf({ bookingId: 'bk_acme', costs: [3] });
const other = chunkOf({ bookingId: 'bk_other_account', costs: [2] });

describe('one batch', () => {
  test('reads the accounts before the ledger, writes once for each account and records all in one go', async () => {
    const store = new FaultyStore(stored);
    const second = chunkOf({ ...acme, chunkIndex: 1 });
    const results = await settleOn(store, { acme: [acme, second], other: [other] });
    expect(store.calls).toEqual([
      'readAccounts acme,other',
      'readLedger bk_acme#0,bk_acme#1,bk_other_account#0',
      'writeAccount acme',
      'writeAccount other',
      'writeLedger bk_acme#0,bk_acme#1,bk_other_account#0',
    ]);
    expect(kindsOf(results.get('acme'))).toEqual(['settled', 'settled']);
    expect(kindsOf(results.get('other'))).toEqual(['settled']);
    expect(await usedBy('acme')).toBe(6);
    expect(await usedBy('other')).toBe(2);
  });

  test('puts the rows of each chunk beside its outcome', async () => {
    const results = await settleOn(stored, { acme: [acme] });
    const [result] = results.get('acme') ?? [];
    expect(stored.ledger()).toEqual([
      {
        bookingId: 'bk_acme',
        chunkIndex: 0,
        accountId: 'acme',
        outcome: settledOutcome(result),
        rows: [{ id: 'row-0', cost: 3 }],
      },
    ]);
  });

  test('that is a redelivery writes nothing anywhere', async () => {
    await settleOn(stored, { acme: [acme] });
    const store = new FaultyStore(stored);
    const results = await settleOn(store, { acme: [acme] });
    expect(results.get('acme')).toMatchObject([{ kind: 'settled', origin: 'ledger' }]);
    expect(store.calls).toEqual(['readAccounts acme', 'readLedger bk_acme#0']);
  });

  test('of no accounts is settled without a call that writes', async () => {
    const store = new FaultyStore(stored);
    expect(await settleOn(store, {})).toEqual(new Map());
    expect(store.calls).toEqual([]);
  });

  test("takes each account's own policy, and fails only the account whose policy is malformed", async () => {
    stored.setOverrides('acme', { dailyLimit: 2 });
    stored.setOverrides('broken', { dailyLimit: -1 });
    const results = await settleOn(stored, { acme: [acme], broken: [other], other: [chunkOf({ costs: [3] })] });
    expect(settledOutcome(results.get('acme')?.[0])).toMatchObject({ limit: 2, reasons: ['exceeds_limit'] });
    expect(settledOutcome(results.get('other')?.[0])).toMatchObject({ limit: 10, reasons: [null] });
    expect(errorOf(results.get('broken')?.[0])).toBeInstanceOf(InvalidPolicyError);
    expect(await usedBy('broken')).toBe(0);
  });

  test('hands refused chunks back as such and keeps them out of the ledger', async () => {
    await settleOn(stored, { acme: [acme] });
    const forged = { ...acme, digest: digestOf('b') };
    const late = chunkOf({ bookingId: 'bk_late', acceptedAtMs: noon - 29 * dayMs });
    const results = await settleOn(stored, { acme: [forged, late] });
    expect(results.get('acme')).toEqual([
      { kind: 'refused', reason: 'digest_mismatch' },
      { kind: 'refused', reason: 'too_old' },
    ]);
    expect(stored.ledger().map(chunkIdOf)).toEqual(['bk_acme#0']);
  });
});

describe('an account changed meanwhile', () => {
  test('is read and settled again, alone: the others do not wait for it', async () => {
    let interfered = 0;
    const store = new FaultyStore(stored, undefined, async (call) => {
      if (call === 'writeAccount acme' && interfered++ < 2) await interfere('acme', interfered);
    });
    const contended: string[] = [];
    const results = await settleOn(
      store,
      { acme: [acme], other: [other] },
      { onContention: (accountId) => contended.push(accountId) },
    );
    expect(store.calls).toEqual([
      'readAccounts acme,other',
      'readLedger bk_acme#0,bk_other_account#0',
      'writeAccount acme',
      'writeAccount other',
      'writeLedger bk_other_account#0',
      'readAccounts acme',
      'readLedger bk_acme#0',
      'writeAccount acme',
      'readAccounts acme',
      'readLedger bk_acme#0',
      'writeAccount acme',
      'writeLedger bk_acme#0',
    ]);
    expect(contended).toEqual(['acme', 'acme']);
    expect(settledOutcome(results.get('acme')?.[0])).toMatchObject({ usedBefore: 2, grantedCost: 3 });
    expect(await usedBy('acme')).toBe(5);
  });

  test('by a twin that settled the same chunk has the outcome of the twin, counted once', async () => {
    let twin: readonly ChunkResult[] | undefined;
    const store = new FaultyStore(stored, undefined, async (call) => {
      if (call === 'writeAccount acme' && twin === undefined)
        twin = (await settleOn(stored, { acme: [acme] })).get('acme');
    });
    const results = await settleOn(store, { acme: [acme] });
    expect(settledOutcome(results.get('acme')?.[0])).toEqual(settledOutcome(twin?.[0]));
    expect(await usedBy('acme')).toBe(3);
  });

  test('each time gives up after the bound, with pauses in between that grow, and has changed nothing', async () => {
    let serial = 0;
    const store = new FaultyStore(stored, undefined, async (call) => {
      if (call === 'writeAccount acme') await interfere('acme', serial++);
    });
    const pauses: number[] = [];
    const retry = { sleep: async (ms: number) => void pauses.push(ms), random: () => 0.5 };
    const results = await settleOn(store, { acme: [acme, acme], other: [other] }, { retry, maxAttempts: 4 });
    expect(results.get('acme')?.map(errorOf)).toEqual([expect.any(ContentionError), expect.any(ContentionError)]);
    expect(kindsOf(results.get('other'))).toEqual(['settled']);
    expect(pauses).toEqual([10, 20, 40]);
    expect(await usedBy('acme')).toBe(4);
    expect(stored.ledger().map(chunkIdOf)).toEqual(['bk_other_account#0']);
  });
});

describe('time that has run out', () => {
  test('before an account was settled is a DeadlineError, and nothing is written for it', async () => {
    let asked = 0;
    const store = new FaultyStore(stored);
    const results = await settleOn(store, { acme: [acme], other: [other] }, { isOverdue: () => ++asked > 3 });
    expect(kindsOf(results.get('acme'))).toEqual(['settled']);
    expect(errorOf(results.get('other')?.[0])).toBeInstanceOf(DeadlineError);
    expect(store.calls).not.toContain('writeAccount other');
    expect(await usedBy('other')).toBe(0);
    expect(stored.ledger().map(chunkIdOf)).toEqual(['bk_acme#0']);
  });

  test.each([0, 1])('is asked before each read: after %i of them no other begins', async (reads) => {
    const store = new FaultyStore(stored);
    const results = await settleOn(store, { acme: [acme] }, { isOverdue: () => store.calls.length >= reads });
    expect(errorOf(results.get('acme')?.[0])).toBeInstanceOf(DeadlineError);
    expect(store.calls).toHaveLength(reads);
  });

  test('while an account was contended is a DeadlineError too, without another attempt', async () => {
    let overdue = false;
    const store = new FaultyStore(stored, undefined, async (call) => {
      if (call !== 'writeAccount acme') return;
      await interfere('acme', 0);
      overdue = true;
    });
    const results = await settleOn(store, { acme: [acme] }, { isOverdue: () => overdue });
    expect(errorOf(results.get('acme')?.[0])).toBeInstanceOf(DeadlineError);
    expect(store.calls).toEqual(['readAccounts acme', 'readLedger bk_acme#0', 'writeAccount acme']);
  });
});

describe('a store that fails', () => {
  const failing =
    (prefix: string, fault: StoreFault = 'request lost') =>
    (call: string): StoreFault =>
      call.startsWith(prefix) ? fault : 'none';

  test.each(['readAccounts', 'readLedger'])('at %s fails every chunk and writes nothing', async (method) => {
    const store = new FaultyStore(stored, failing(method));
    const results = await settleOn(store, { acme: [acme], other: [other] });
    expect(kindsOf(results.get('acme'))).toEqual(['failed']);
    expect(kindsOf(results.get('other'))).toEqual(['failed']);
    expect(store.calls.some((call) => call.startsWith('write') || call.startsWith('writeLedger'))).toBe(false);
  });

  test('at the write of one account fails that account and no other', async () => {
    const results = await settleOn(new FaultyStore(stored, failing('writeAccount acme')), {
      acme: [acme],
      other: [other],
    });
    expect(errorOf(results.get('acme')?.[0])).toEqual(new Error('request lost: writeAccount acme'));
    expect(kindsOf(results.get('other'))).toEqual(['settled']);
    expect(stored.ledger().map(chunkIdOf)).toEqual(['bk_other_account#0']);
  });

  test('after the write was applied loses nothing: the redelivery adopts the receipt, one count', async () => {
    const lost = await settleOn(new FaultyStore(stored, failing('writeAccount acme', 'reply lost')), { acme: [acme] });
    expect(kindsOf(lost.get('acme'))).toEqual(['failed']);
    clock.advance(60_000);
    const again = await settleOn(stored, { acme: [acme] }, { defaultPolicy: policyOf({ dailyLimit: 1 }) });
    expect(again.get('acme')).toMatchObject([{ kind: 'settled', origin: 'receipt', outcome: { settledAtMs: noon } }]);
    expect(await usedBy('acme')).toBe(3);
    expect(stored.ledger()).toMatchObject([
      { rows: [{ id: 'row-0', cost: 3 }], outcome: { settledAtMs: noon, limit: 10 } },
    ]);
  });

  test('at single ledger entries fails just those chunks, which are not believed recorded', async () => {
    const memory = new LedgerMemory();
    const store = Object.assign(new FaultyStore(stored), {
      writeLedger: async () => new Map([['bk_acme#0', new Error('throttled')]]),
    });
    const second = chunkOf({ ...acme, chunkIndex: 1 });
    const results = await settleOn(store, { acme: [acme, second], other: [other] }, { memory });
    expect(kindsOf(results.get('acme'))).toEqual(['failed', 'settled']);
    expect(kindsOf(results.get('other'))).toEqual(['settled']);
    expect(memory.has('bk_acme#0', { settledAtMs: noon })).toBe(false);
    expect(memory.has('bk_acme#1', { settledAtMs: noon })).toBe(true);
    expect(await usedBy('acme')).toBe(6);
  });

  test('at the whole ledger write fails every chunk, and the counts stay for the redelivery to find', async () => {
    const failed = await settleOn(new FaultyStore(stored, failing('writeLedger')), { acme: [acme] });
    expect(kindsOf(failed.get('acme'))).toEqual(['failed']);
    const again = await settleOn(stored, { acme: [acme] });
    expect(again.get('acme')).toMatchObject([{ origin: 'receipt' }]);
    expect(await usedBy('acme')).toBe(3);
  });

  test('to read one account, or one chunk of it, fails that account and no other: unread is never absent', async () => {
    const unread = new Error('unprocessed');
    const noAccount = Object.assign(new FaultyStore(stored), {
      readAccounts: async (ids: readonly string[]) =>
        new Map<string, StoredAccount | Error>(await stored.readAccounts(ids)).set('acme', unread),
    });
    const noChunk = Object.assign(new FaultyStore(stored), {
      readLedger: async () => new Map([['bk_acme#0', unread]]),
    });
    for (const store of [noAccount, noChunk]) {
      const results = await settleOn(store, { acme: [acme], other: [other] });
      expect(errorOf(results.get('acme')?.[0])).toBe(unread);
      expect(kindsOf(results.get('other'))).toEqual(['settled']);
      expect(await usedBy('acme')).toBe(0);
    }
  });

  test('to answer for an account at all fails it, and no other', async () => {
    const store = Object.assign(new FaultyStore(stored), { readAccounts: async () => stored.readAccounts(['other']) });
    const results = await settleOn(store, { acme: [acme], other: [other] });
    expect(errorOf(results.get('acme')?.[0])).toEqual(new Error('The store answered nothing for account acme'));
    expect(kindsOf(results.get('other'))).toEqual(['settled']);
    expect(store.calls[0]).toBe('readLedger bk_acme#0,bk_other_account#0');
  });

  test('at a ledger entry leaves a forged twin of its chunk refused', async () => {
    const store = Object.assign(new FaultyStore(stored), {
      writeLedger: async () => new Map([['bk_acme#0', new Error('throttled')]]),
    });
    const results = await settleOn(store, { acme: [acme, { ...acme, digest: digestOf('b') }] });
    expect(kindsOf(results.get('acme'))).toEqual(['failed', 'refused']);
  });
});

describe('a key used again after 90 days', () => {
  const later = noon + 91 * 86_400_000;

  test('is decided and recorded anew where TTL has not deleted the old outcome yet', async () => {
    await settleOn(stored, { acme: [acme] });
    clock.set(later);
    const again = { ...acme, acceptedAtMs: later, digest: '5'.repeat(32) };
    expect((await settleOn(stored, { acme: [again] })).get('acme')).toMatchObject([{ kind: 'settled', origin: 'new' }]);
    expect(stored.ledger()).toMatchObject([{ outcome: { digest: '5'.repeat(32), settledAtMs: later } }]);
  });

  test('keeps its receipt until its own outcome is in the ledger, whatever a warm worker remembers of the old', async () => {
    const memory = new LedgerMemory();
    await settleOn(stored, { acme: [acme] }, { memory });
    clock.set(later);
    const again = { ...acme, acceptedAtMs: later };
    const lossy = new FaultyStore(stored, (call) => (call.startsWith('writeLedger') ? 'request lost' : 'none'));
    await settleOn(lossy, { acme: [again] }, { memory });
    await settleOn(lossy, { acme: [again, { ...again, chunkIndex: 1 }] }, { memory });
    expect(await receiptsOf('acme')).toContain('bk_acme#0');
  });
});

describe('receipts', () => {
  /** Counts so many chunks whose ledger items are never written: each worker dies in between. */
  async function leaveReceipts(count: number): Promise<ChunkToSettle[]> {
    const chunks = Array.from({ length: count }, (_, chunkIndex) => chunkOf({ bookingId: 'bk_left', chunkIndex }));
    const dying = new FaultyStore(stored, (call) => (call.startsWith('writeLedger') ? 'request lost' : 'none'));
    for (const chunk of chunks)
      await settleOn(dying, { acme: [chunk] }, { defaultPolicy: policyOf({ dailyLimit: 100 }) });
    return chunks;
  }

  test('go with a later write of a process that has recorded them, and not with one that has not', async () => {
    const memory = new LedgerMemory();
    await settleOn(stored, { acme: [acme] }, { memory });
    await settleOn(stored, { acme: [chunkOf({ ...acme, chunkIndex: 1, costs: [1] })] });
    expect(await receiptsOf('acme')).toEqual(['bk_acme#0', 'bk_acme#1']);
    await settleOn(stored, { acme: [chunkOf({ ...acme, chunkIndex: 2, costs: [1] })] }, { memory });
    expect(await receiptsOf('acme')).toEqual(['bk_acme#1', 'bk_acme#2']);
  });

  test('stay while their ledger item could not be written', async () => {
    const memory = new LedgerMemory();
    const dying = new FaultyStore(stored, (call) => (call.startsWith('writeLedger') ? 'request lost' : 'none'));
    await settleOn(dying, { acme: [acme] }, { memory });
    await settleOn(stored, { acme: [chunkOf({ ...acme, chunkIndex: 1 })] }, { memory });
    expect(await receiptsOf('acme')).toEqual(['bk_acme#0', 'bk_acme#1']);
  });

  test('of unknown standing are not asked about while they are eight', async () => {
    await leaveReceipts(8);
    const store = new FaultyStore(stored);
    await settleOn(store, { acme: [acme] });
    expect(store.calls).toEqual([
      'readAccounts acme',
      'readLedger bk_acme#0',
      'writeAccount acme',
      'writeLedger bk_acme#0',
    ]);
  });

  test('are not of unknown standing where this process remembers recording them', async () => {
    await leaveReceipts(9);
    const memory = new LedgerMemory();
    memory.add('bk_left#3', { settledAtMs: noon });
    const store = new FaultyStore(stored);
    await settleOn(store, { acme: [acme] }, { memory });
    expect(store.calls).toContain('readLedger bk_acme#0');
  });

  test('are not of unknown standing where their chunk is in the batch: the ledger is asked about it as it is', async () => {
    const left = await leaveReceipts(9);
    const store = new FaultyStore(stored);
    await settleOn(store, { acme: left.slice(0, 1) });
    expect(store.calls).toContain('readLedger bk_left#0');
  });

  test('past their time go without a question, however many', async () => {
    await leaveReceipts(9);
    clock.advance(61 * 86_400_000);
    const store = new FaultyStore(stored);
    await settleOn(store, { acme: [{ ...acme, acceptedAtMs: clock() }] });
    expect(store.calls).toEqual([
      'readAccounts acme',
      'readLedger bk_acme#0',
      'writeAccount acme',
      'writeLedger bk_acme#0',
    ]);
    expect(await receiptsOf('acme')).toEqual(['bk_acme#0']);
  });

  test('of unknown standing, once they are nine, are asked about with the same question, and go', async () => {
    const left = await leaveReceipts(9);
    await stored.writeLedger(
      [...((await stored.readAccounts(['acme'])).get('acme')?.state.receipts ?? [])].map(([, outcome], chunkIndex) => ({
        bookingId: 'bk_left',
        chunkIndex,
        accountId: 'acme',
        outcome,
        rows: [{ id: 'row-0', cost: 1 }],
      })),
    );
    const store = new FaultyStore(stored);
    await settleOn(store, { acme: [acme] });
    expect(store.calls).toEqual([
      'readAccounts acme',
      `readLedger bk_acme#0,${left.map(chunkIdOf).join(',')}`,
      'writeAccount acme',
      'writeLedger bk_acme#0',
    ]);
    expect(await receiptsOf('acme')).toEqual(['bk_acme#0']);
  });

  test('that the ledger lacks are written to it before they go, and completed by the redelivery', async () => {
    const left = await leaveReceipts(9);
    const store = new FaultyStore(stored);
    await settleOn(store, { acme: [acme] });
    expect(store.calls.slice(2)).toEqual([
      ...left.map((chunk) => `writeLedgerIfAbsent ${chunkIdOf(chunk)}`),
      'writeAccount acme',
      'writeLedger bk_acme#0',
    ]);
    expect(await receiptsOf('acme')).toEqual(['bk_acme#0']);
    expect((await stored.readLedger(left)).get('bk_left#3')).toMatchObject({ complete: false });

    const again = await settleOn(stored, { acme: left.slice(3, 4) });
    expect(again.get('acme')).toMatchObject([{ kind: 'settled', origin: 'ledger' }]);
    expect((await stored.readLedger(left)).get('bk_left#3')).toMatchObject({ complete: true });
    expect(await usedBy('acme')).toBe(9);
  });

  test('stay where writing them to the ledger fails, and the account fails with them', async () => {
    await leaveReceipts(9);
    const store = new FaultyStore(stored, (call) =>
      call === 'writeLedgerIfAbsent bk_left#4' ? 'request lost' : 'none',
    );
    const results = await settleOn(store, { acme: [acme], other: [other] });
    expect(kindsOf(results.get('acme'))).toEqual(['failed']);
    expect(kindsOf(results.get('other'))).toEqual(['settled']);
    expect(await receiptsOf('acme')).toHaveLength(9);
  });

  test('whose standing could not be read stay', async () => {
    const left = await leaveReceipts(9);
    const unread = new Map(left.slice(0, 2).map((chunk) => [chunkIdOf(chunk), new Error('unprocessed')]));
    const store = Object.assign(new FaultyStore(stored), { readLedger: async () => unread });
    expect(kindsOf((await settleOn(store, { acme: [acme] })).get('acme'))).toEqual(['settled']);
    expect(await receiptsOf('acme')).toEqual(['bk_left#0', 'bk_left#1', 'bk_acme#0']);
  });
});
