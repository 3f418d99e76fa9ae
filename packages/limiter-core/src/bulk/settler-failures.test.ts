import { beforeEach, describe, expect, test } from 'vitest';
import type { StoredAccount } from './account-store.ts';
import { chunkIdOf } from './ledger.ts';
import { LedgerMemory } from './ledger-memory.ts';
import { chunkOf, digestOf, noon, policyOf } from './testing/build.ts';
import { FaultyStore, type StoreFault } from './testing/faulty-store.ts';
import { acme, errorOf, kindsOf, other, type Settling, startSettling } from './testing/settling.ts';

let stored: Settling['stored'];
let clock: Settling['clock'];
let settleOn: Settling['settleOn'];
let usedBy: Settling['usedBy'];

beforeEach(() => {
  ({ stored, clock, settleOn, usedBy } = startSettling());
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

  test('at single ledger entries fails just those chunks, which are not believed to be in the ledger', async () => {
    const memory = new LedgerMemory();
    const store = Object.assign(new FaultyStore(stored), {
      writeLedger: async () => new Map([['bk_acme#0', new Error('throttled')]]),
    });
    const second = chunkOf({ ...acme, chunkIndex: 1 });
    const results = await settleOn(store, { acme: [acme, second], other: [other] }, { memory });
    expect(kindsOf(results.get('acme'))).toEqual(['failed', 'settled']);
    expect(kindsOf(results.get('other'))).toEqual(['settled']);
    expect(memory.has('bk_acme#0')).toBe(false);
    expect(memory.has('bk_acme#1')).toBe(true);
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
