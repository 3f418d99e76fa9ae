import { describe, expect, test } from 'vitest';
import { type AccountState, newAccount } from './account.ts';
import { chunkIdOf } from './ledger.ts';
import { settle } from './settle.ts';
import {
  chunkOf,
  dayMs,
  digestOf,
  inputOf,
  noon,
  outcomeOf,
  policyOf,
  settledOutcome,
  today,
} from './testing/build.ts';
import { accountWith, over } from './testing/settle-and-apply.ts';

describe('a chunk that has its outcome already', () => {
  const original = outcomeOf({ reasons: [over], grantedCost: 0, rejectedCost: 1, settledAtMs: noon - dayMs, limit: 3 });
  const id = chunkIdOf(chunkOf());
  const withReceipt: AccountState = { ...accountWith(0), receipts: new Map([[1, new Map([[id, original]])]]) };

  test('gets it again from the receipt, under the policy of its first settling, and changes nothing', () => {
    const settlement = settle(inputOf({ state: withReceipt, policy: policyOf({ dailyLimit: 500 }) }));
    expect(settlement).toEqual({
      chunks: [{ kind: 'settled', origin: 'receipt', outcome: original }],
      change: undefined,
    });
  });

  test('gets it again from the ledger', () => {
    const settlement = settle(inputOf({ ledger: new Map([[id, original]]) }));
    expect(settlement.chunks).toEqual([{ kind: 'settled', origin: 'ledger', outcome: original }]);
    expect(settlement.change).toBeUndefined();
  });

  test('twice in one list is counted once and has two equal outcomes', () => {
    const { chunks, change } = settle(inputOf({ chunks: [chunkOf(), chunkOf()] }));
    expect(chunks.map((chunk) => chunk.kind === 'settled' && chunk.origin)).toEqual(['new', 'batch']);
    expect(settledOutcome(chunks[1])).toEqual(settledOutcome(chunks[0]));
    expect(change?.windows.get(today)?.granted).toBe(1);
  });

  test.each([
    { place: 'a receipt', fields: { state: withReceipt } },
    { place: 'the ledger', fields: { ledger: new Map([[id, original]]) } },
    { place: 'the same list', fields: { chunks: [chunkOf(), chunkOf({ digest: digestOf('b') })] } },
  ])('is refused under another digest, as known from $place', ({ fields }) => {
    const chunks = [chunkOf({ digest: digestOf('b') })];
    const { chunks: results } = settle(inputOf({ chunks, ...fields }));
    expect(results.at(-1)).toEqual({ kind: 'refused', reason: 'digest_mismatch' });
  });

  test('is refused with another number of rows, whatever its digest says', () => {
    const chunks = [chunkOf({ costs: [1, 1] })];
    const { chunks: results, change } = settle(inputOf({ state: withReceipt, chunks }));
    expect(results).toEqual([{ kind: 'refused', reason: 'digest_mismatch' }]);
    expect(change).toBeUndefined();
  });

  test('is replayed however long ago it was accepted', () => {
    const chunks = [chunkOf({ acceptedAtMs: noon - 40 * dayMs })];
    expect(settle(inputOf({ state: withReceipt, chunks })).chunks[0]).toMatchObject({ origin: 'receipt' });
  });
});

test('a chunk accepted more than 28 days ago that was never settled is too old to be', () => {
  const settled = (age: number): unknown =>
    settle(inputOf({ chunks: [chunkOf({ acceptedAtMs: noon - age })] })).chunks[0];
  expect(settled(28 * dayMs)).toMatchObject({ kind: 'settled' });
  expect(settled(28 * dayMs + 1)).toEqual({ kind: 'refused', reason: 'too_old' });
});

test('a refused chunk does not keep its neighbours from being settled', () => {
  const chunks = [chunkOf({ chunkIndex: 0, acceptedAtMs: 0 }), chunkOf({ chunkIndex: 1 })];
  const settlement = settle(inputOf({ chunks }));
  expect(settlement.chunks.map(({ kind }) => kind)).toEqual(['refused', 'settled']);
  expect([...(settlement.change?.receipt.keys() ?? [])]).toEqual(['bk_a#1']);
});

describe('receipts', () => {
  const old = outcomeOf({ settledAtMs: noon - 61 * dayMs });
  const receipts = new Map([
    [3, new Map([['bk_x#0', outcomeOf()]])],
    [4, new Map([['bk_x#1', outcomeOf()]])],
    [5, new Map([['bk_x#2', old]])],
  ]);

  test('go once they are known to be in the ledger or are past their time, and not before', () => {
    const state = { ...newAccount, rev: 6, receipts };
    const pruned = (prunable: number[]): unknown =>
      settle(inputOf({ state, prunable: new Set(prunable) })).change?.prunedReceipts;
    expect(pruned([])).toEqual([5]);
    expect(pruned([4])).toEqual([4, 5]);
  });

  test('of great number go a hundred at a time', () => {
    const many = new Map(Array.from({ length: 250 }, (_, i) => [i + 1, new Map([[`bk_x#${i}`, outcomeOf()]])]));
    const state = { ...newAccount, rev: 251, receipts: many };
    expect(settle(inputOf({ state, prunable: new Set(many.keys()) })).change?.prunedReceipts).toHaveLength(100);
  });
});

test('the write is bound to the rev that was read', () => {
  expect(settle(inputOf()).change?.seenRev).toBeNull();
  expect(settle(inputOf({ state: { ...newAccount, rev: 41 } })).change?.seenRev).toBe(41);
});
