import { beforeEach, describe, expect, test } from 'vitest';
import { outcomesOf } from './account.ts';
import { chunkIdOf } from './ledger.ts';
import { LedgerMemory } from './ledger-memory.ts';
import { prunedReceipts } from './receipt-pruning.ts';
import type { ChunkToSettle } from './settle.ts';
import { chunkOf, noon, outcomeOf, policyOf } from './testing/build.ts';
import { FaultyStore } from './testing/faulty-store.ts';
import { acme, kindsOf, other, type Settling, startSettling } from './testing/settling.ts';

let stored: Settling['stored'];
let clock: Settling['clock'];
let settleOn: Settling['settleOn'];
let usedBy: Settling['usedBy'];
let receiptsOf: Settling['receiptsOf'];

beforeEach(() => {
  ({ stored, clock, settleOn, usedBy, receiptsOf } = startSettling());
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

  test('go with a later write of a process that has written their ledger entries, and not with one that has not', async () => {
    const memory = new LedgerMemory();
    await settleOn(stored, { acme: [acme] }, { memory });
    await settleOn(stored, { acme: [chunkOf({ ...acme, chunkIndex: 1, costs: [1] })] });
    expect(await receiptsOf('acme')).toEqual(['bk_acme#0', 'bk_acme#1']);
    await settleOn(stored, { acme: [chunkOf({ ...acme, chunkIndex: 2, costs: [1] })] }, { memory });
    expect(await receiptsOf('acme')).toEqual(['bk_acme#1', 'bk_acme#2']);
  });

  test('of several chunks go together, once the ledger has every one of them', async () => {
    const memory = new LedgerMemory();
    const chunks = [acme, { ...acme, chunkIndex: 1 }, { ...acme, chunkIndex: 2 }];
    const half = new FaultyStore(stored, (call) => (call.startsWith('writeLedger') ? 'request lost' : 'none'));
    await settleOn(half, { acme: chunks }, { memory });
    memory.add('bk_acme#0');
    memory.add('bk_acme#2');
    await settleOn(stored, { acme: [{ ...acme, chunkIndex: 3 }] }, { memory });
    expect(await receiptsOf('acme')).toEqual(['bk_acme#0', 'bk_acme#1', 'bk_acme#2', 'bk_acme#3']);
    memory.add('bk_acme#1');
    await settleOn(stored, { acme: [{ ...acme, chunkIndex: 4 }] }, { memory });
    expect(await receiptsOf('acme')).toEqual(['bk_acme#4']);
  });

  test('go where their chunk came again and the ledger had it', async () => {
    const memory = new LedgerMemory();
    await settleOn(stored, { acme: [acme] });
    await settleOn(stored, { acme: [acme] }, { memory });
    await settleOn(stored, { acme: [{ ...acme, chunkIndex: 1 }] }, { memory });
    expect(await receiptsOf('acme')).toEqual(['bk_acme#1']);
  });

  test('stay while their ledger item could not be written', async () => {
    const memory = new LedgerMemory();
    const dying = new FaultyStore(stored, (call) => (call.startsWith('writeLedger') ? 'request lost' : 'none'));
    await settleOn(dying, { acme: [acme] }, { memory });
    await settleOn(stored, { acme: [chunkOf({ ...acme, chunkIndex: 1 })] }, { memory });
    expect(await receiptsOf('acme')).toEqual(['bk_acme#0', 'bk_acme#1']);
  });

  test('of unknown standing are not asked about while the account is no dearer for them', async () => {
    await leaveReceipts(6);
    const store = new FaultyStore(stored);
    await settleOn(store, { acme: [acme] });
    expect(store.calls).toEqual([
      'readAccounts acme',
      'readLedger bk_acme#0',
      'writeAccount acme',
      'writeLedger bk_acme#0',
    ]);
  });

  test('are not of unknown standing where this process remembers writing their ledger entries', async () => {
    await leaveReceipts(7);
    const memory = new LedgerMemory();
    memory.add('bk_left#3');
    const store = new FaultyStore(stored);
    await settleOn(store, { acme: [acme] }, { memory });
    expect(store.calls).toContain('readLedger bk_acme#0');
  });

  test('are not of unknown standing where their chunk is in the batch: the ledger is asked about it as it is', async () => {
    const left = await leaveReceipts(7);
    const store = new FaultyStore(stored);
    await settleOn(store, { acme: left.slice(0, 1) });
    expect(store.calls).toContain('readLedger bk_left#0');
  });

  test('past their time go without a question, however many', async () => {
    await leaveReceipts(7);
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

  test('of unknown standing, once they would make the account dearer, are asked about with the same question, and go', async () => {
    const left = await leaveReceipts(7);
    await stored.writeLedger(
      [...outcomesOf((await stored.readAccounts(['acme'])).get('acme')?.state.receipts ?? new Map()).values()].map(
        (outcome, chunkIndex) => ({
          bookingId: 'bk_left',
          chunkIndex,
          accountId: 'acme',
          outcome,
          rows: [{ id: 'row-0', cost: 1 }],
        }),
      ),
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
    const left = await leaveReceipts(7);
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
    expect(await usedBy('acme')).toBe(10);
  });

  test('stay where writing them to the ledger fails, and the account fails with them', async () => {
    await leaveReceipts(7);
    const store = new FaultyStore(stored, (call) =>
      call === 'writeLedgerIfAbsent bk_left#4' ? 'request lost' : 'none',
    );
    const results = await settleOn(store, { acme: [acme], other: [other] });
    expect(kindsOf(results.get('acme'))).toEqual(['failed']);
    expect(kindsOf(results.get('other'))).toEqual(['settled']);
    expect(await receiptsOf('acme')).toHaveLength(7);
  });

  test('whose standing could not be read stay', async () => {
    const left = await leaveReceipts(7);
    const unread = new Map(left.slice(0, 2).map((chunk) => [chunkIdOf(chunk), new Error('unprocessed')]));
    const store = Object.assign(new FaultyStore(stored), { readLedger: async () => unread });
    expect(kindsOf((await settleOn(store, { acme: [acme] })).get('acme'))).toEqual(['settled']);
    expect(await receiptsOf('acme')).toEqual(['bk_left#0', 'bk_left#1', 'bk_acme#0']);
  });
});

test('one write removes a hundred receipts at most, whose names fit an expression', () => {
  const receipts = new Map(Array.from({ length: 150 }, (_, at) => [at + 1, new Map([[`bk_a#${at}`, outcomeOf()]])]));
  const pruned = prunedReceipts(receipts, { prunable: new Set(receipts.keys()), nowMs: noon });
  expect(pruned).toEqual([...receipts.keys()].slice(0, 100));
});
