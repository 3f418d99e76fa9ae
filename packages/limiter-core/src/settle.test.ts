import { describe, expect, test } from 'vitest';
import { type AccountState, applyChange, newAccount, type WindowUsage } from './account.ts';
import { InvalidArgumentError } from './errors.ts';
import { chunkIdOf } from './ledger.ts';
import { dispatchTimes, type Outcome, type RejectReason } from './outcome.ts';
import { type SettleInput, settle } from './settle.ts';
import {
  chunkOf,
  dayMs,
  digestOf,
  inputOf,
  noon,
  outcomeOf,
  policyOf,
  rowsOf,
  settledOutcome,
  today,
} from './testing/build.ts';
import { windowAt } from './window.ts';

/** Settles, and makes the change so; an account that has nothing to change stays as it is. */
function settleAndApply(fields: Partial<SettleInput>): { outcomes: Outcome[]; state: AccountState } {
  const input = inputOf(fields);
  const { chunks, change } = settle(input);
  const state = change === undefined ? input.state : applyChange(input.state, change);
  if (state === undefined) throw new Error('the change met a condition that does not hold');
  return { outcomes: chunks.map(settledOutcome), state };
}

function accountWith(used: number, fields: Partial<WindowUsage> = {}): AccountState {
  return { ...newAccount, rev: 1, usage: new Map([[today, { used, rejected: 0, over: 0, limit: 10, ...fields }]]) };
}

function usedOn(state: AccountState, date = today): number | undefined {
  return state.usage.get(date)?.used;
}

const over: RejectReason = 'daily_quota_exceeded';
const never: RejectReason = 'exceeds_limit';

describe('a partial chunk', () => {
  test.each([
    { story: 'what fits is granted', used: 0, costs: [3, 3, 4], reasons: [null, null, null], granted: 10 },
    {
      story: 'a row that no longer fits is skipped, a smaller one after it is not',
      used: 6,
      costs: [5, 4],
      reasons: [over, null],
      granted: 4,
    },
    {
      story: 'first fit goes in order, not by size',
      used: 0,
      costs: [6, 6, 4, 1],
      reasons: [null, over, null, over],
      granted: 10,
    },
    { story: 'a row above the limit can never fit', used: 0, costs: [11, 10], reasons: [never, null], granted: 10 },
    {
      story: 'a row above the limit is told apart from one above the rest',
      used: 9,
      costs: [11, 2, 1],
      reasons: [never, over, null],
      granted: 1,
    },
    { story: 'a full window grants nothing', used: 10, costs: [1, 1], reasons: [over, over], granted: 0 },
  ])('$story', ({ used, costs, reasons, granted }) => {
    const { outcomes, state } = settleAndApply({ state: accountWith(used), chunks: [chunkOf({ costs })] });
    const total = costs.reduce((sum, cost) => sum + cost, 0);
    expect(outcomes).toEqual([
      outcomeOf({ reasons, usedBefore: used, grantedCost: granted, rejectedCost: total - granted, limitBefore: 10 }),
    ]);
    expect(state.usage.get(today)).toEqual({ used: used + granted, rejected: total - granted, over: 0, limit: 10 });
  });

  test('under a limit of 0 every row is above the limit', () => {
    const { outcomes } = settleAndApply({ policy: policyOf({ dailyLimit: 0 }), chunks: [chunkOf({ costs: [1, 2] })] });
    expect(outcomes[0]?.reasons).toEqual([never, never]);
  });
});

describe('an all-or-nothing chunk', () => {
  const bookingMode = 'all-or-nothing';

  test('is granted whole where all of it fits', () => {
    const { outcomes, state } = settleAndApply({
      state: accountWith(4),
      chunks: [chunkOf({ bookingMode, costs: [3, 3] })],
    });
    expect(outcomes[0]?.reasons).toEqual([null, null]);
    expect(usedOn(state)).toBe(10);
  });

  test('is rejected whole where one row does not fit, and takes nothing', () => {
    const { outcomes, state } = settleAndApply({
      state: accountWith(5),
      chunks: [chunkOf({ bookingMode, costs: [1, 5] })],
    });
    expect(outcomes[0]).toMatchObject({ reasons: [over, over], grantedCost: 0, rejectedCost: 6 });
    expect(usedOn(state)).toBe(5);
  });

  test('whose total is above the limit can never fit, though each of its rows could', () => {
    const { outcomes } = settleAndApply({ chunks: [chunkOf({ bookingMode, costs: [6, 5] })] });
    expect(outcomes[0]?.reasons).toEqual([never, never]);
  });
});

describe('a chunk that has its outcome already', () => {
  const original = outcomeOf({ reasons: [over], grantedCost: 0, rejectedCost: 1, settledAtMs: noon - dayMs, limit: 3 });
  const id = chunkIdOf(chunkOf());
  const withReceipt: AccountState = { ...accountWith(0), receipts: new Map([[id, original]]) };

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

  test('after sixty days counts as unknown, so that nothing depends on when it is deleted', () => {
    const nowMs = original.settledAtMs + 60 * dayMs;
    const accepted = chunkOf({ acceptedAtMs: nowMs - dayMs });
    const late = (at: number): unknown =>
      settle(inputOf({ state: withReceipt, ledger: new Map([[id, original]]), chunks: [accepted], nowMs: at }))
        .chunks[0];
    expect(late(nowMs - 1)).toMatchObject({ origin: 'ledger', outcome: original });
    expect(late(nowMs)).toMatchObject({ origin: 'new' });
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
  expect([...(settlement.change?.receipts.keys() ?? [])]).toEqual(['bk_a#1']);
});

describe('windows', () => {
  test('a full day leaves the next one empty', () => {
    const chunks = [chunkOf({ costs: [10] }), chunkOf({ chunkIndex: 1, date: '2026-11-30', costs: [1] })];
    const { outcomes } = settleAndApply({ chunks });
    expect(outcomes.map(({ reasons }) => reasons)).toEqual([[null], [null]]);
  });

  test('a chunk counts in the day of its acceptance, whenever it is settled and however often', () => {
    const acceptedAtMs = Date.parse('2026-11-29T23:59:59.900Z');
    const chunks = [chunkOf({ acceptedAtMs, date: windowAt(acceptedAtMs, 'UTC').date, costs: [4] })];
    const first = settleAndApply({ chunks, nowMs: Date.parse('2026-11-30T00:00:03.000Z') });
    const again = settleAndApply({ chunks, state: first.state, nowMs: Date.parse('2026-11-30T00:05:00.000Z') });
    expect(first.outcomes[0]?.date).toBe('2026-11-29');
    expect(again.outcomes).toEqual(first.outcomes);
    expect([...again.state.usage]).toEqual([['2026-11-29', { used: 4, rejected: 0, over: 0, limit: 10 }]]);
  });

  test('counters older than sixty days go with a later write, never those it counts in', () => {
    const usage = new Map(
      ['2026-09-28', '2026-09-30', '2026-10-15'].map((date) => [date, { used: 1, rejected: 0, over: 0, limit: 10 }]),
    );
    const state = { ...newAccount, rev: 4, usage };
    expect(settle(inputOf({ state })).change?.prunedDates).toEqual(['2026-09-28', '2026-09-30']);
    const chunks = [chunkOf({ date: '2026-09-28' })];
    expect(settle(inputOf({ state, chunks })).change?.prunedDates).toEqual(['2026-09-30']);
    const midnight = Date.parse('2026-11-29');
    expect(settle(inputOf({ state, nowMs: midnight })).change?.prunedDates).toEqual(['2026-09-28']);
  });

  test('counters of great number go twenty-five at a time', () => {
    const dates = Array.from({ length: 40 }, (_, n) => new Date(noon - (70 + n) * dayMs).toISOString().slice(0, 10));
    const usage = new Map(dates.map((date) => [date, { used: 1, rejected: 0, over: 0, limit: 10 }]));
    const { change } = settle(inputOf({ state: { ...newAccount, rev: 4, usage } }));
    expect(change?.prunedDates).toEqual(dates.slice(0, 25));
  });
});

describe('a limit that changes', () => {
  test('at noon takes effect at noon: what was denied before has taken nothing', () => {
    const before = settleAndApply({ chunks: [chunkOf({ costs: [10, 1, 1, 1] })] });
    const chunks = [chunkOf({ chunkIndex: 1, costs: [1, 1, 1] })];
    const after = settleAndApply({ chunks, state: before.state, policy: policyOf({ dailyLimit: 12 }) });
    expect(before.outcomes[0]?.reasons).toEqual([null, over, over, over]);
    expect(after.outcomes[0]?.reasons).toEqual([null, null, over]);
  });

  test('below the usage denies at the first attempt, without a condition on the counter', () => {
    const state = accountWith(3, { limit: 4 });
    const chunks = [chunkOf({ costs: [1, 2] })];
    const settlement = settle(inputOf({ state, chunks, policy: policyOf({ dailyLimit: 2 }) }));
    expect(settledOutcome(settlement.chunks[0])).toMatchObject({ reasons: [over, over], limit: 2, limitBefore: 4 });
    expect(settlement.change?.windows.get(today)).toEqual({ granted: 0, rejected: 3, over: 0, limit: 2 });
  });

  test('within one list is remembered only from the chunk before', () => {
    const { outcomes } = settleAndApply({ chunks: [chunkOf(), chunkOf({ chunkIndex: 1 })] });
    expect(outcomes.map(({ limitBefore }) => limitBefore)).toEqual([null, 10]);
  });
});

describe('observe mode', () => {
  const observe = policyOf({ mode: 'observe' });

  test('grants everything and tells what enforce mode would have rejected', () => {
    const { outcomes, state } = settleAndApply({ policy: observe, chunks: [chunkOf({ costs: [8, 3, 11, 2] })] });
    expect(outcomes[0]).toMatchObject({ reasons: [null, over, never, null], grantedCost: 24, rejectedCost: 0 });
    expect(state.usage.get(today)).toEqual({ used: 24, rejected: 0, over: 14, limit: 10 });
  });

  test('leaves what it let through out of the room that it judges by', () => {
    const first = settleAndApply({ policy: observe, chunks: [chunkOf({ costs: [8, 3] })] });
    const chunks = [chunkOf({ chunkIndex: 1, costs: [2, 1] })];
    const second = settleAndApply({ policy: observe, state: first.state, chunks });
    expect(second.outcomes[0]?.reasons).toEqual([null, over]);
  });

  test('asks the store for no bound', () => {
    expect(settle(inputOf({ policy: observe })).change?.enforced).toBe(false);
    expect(settle(inputOf()).change?.enforced).toBe(true);
  });

  test('switched to enforce mode, what was let through counts', () => {
    const first = settleAndApply({ policy: observe, chunks: [chunkOf({ costs: [8, 3] })] });
    const second = settleAndApply({ state: first.state, chunks: [chunkOf({ chunkIndex: 1, costs: [1] })] });
    expect(second.outcomes[0]?.reasons).toEqual([over]);
  });
});

describe('the bucket', () => {
  const policy = policyOf({ dailyLimit: 1000, refillPerSecond: 10, burst: 1 });

  test('paces what is granted from chunk to chunk, within one list and from write to write', () => {
    const costs = [1, 1];
    const both = [chunkOf({ costs }), chunkOf({ chunkIndex: 1, costs })];
    const first = settleAndApply({ policy, chunks: both });
    const second = settleAndApply({ policy, state: first.state, chunks: [chunkOf({ chunkIndex: 2, costs })] });
    const due = [...first.outcomes, ...second.outcomes].flatMap((outcome) => dispatchTimes(outcome, rowsOf(costs)));
    expect(due).toEqual([0, 100, 200, 300, 400, 500].map((ms) => noon + ms));
  });

  test('is left as it is by a list of denials', () => {
    const state = { ...accountWith(10), bucket: { tatMicros: noon * 1000 + 5_000_000, refillPerSecond: 3 } };
    const settlement = settle(inputOf({ state }));
    expect(settlement.change?.bucket).toBeUndefined();
    expect(settleAndApply({ state }).state.bucket).toEqual(state.bucket);
  });

  test('carries its debt over in cost where the refill was changed', () => {
    const fast = policyOf({ dailyLimit: 1000, refillPerSecond: 100, burst: 100 });
    const emptied = settleAndApply({ policy: fast, chunks: [chunkOf({ costs: [100] })] });
    const slow = { ...fast, refillPerSecond: 1 };
    const next = settleAndApply({
      policy: slow,
      state: emptied.state,
      chunks: [chunkOf({ chunkIndex: 1, costs: [1, 1] })],
    });
    expect(next.outcomes.flatMap((outcome) => dispatchTimes(outcome, rowsOf([1, 1])))).toEqual([
      noon + 1000,
      noon + 2000,
    ]);
  });

  test('gives a redelivery the very same instants after the policy was changed', () => {
    const chunks = [chunkOf({ costs: [1, 1, 1] })];
    const first = settleAndApply({ policy, chunks });
    const again = settleAndApply({
      policy: policyOf({ dailyLimit: 1, refillPerSecond: 0.1, burst: 5, mode: 'observe', thresholds: [] }),
      state: first.state,
      chunks,
      nowMs: noon + dayMs,
    });
    expect(again.outcomes).toEqual(first.outcomes);
    expect(again.state).toEqual(first.state);
  });
});

describe('receipts', () => {
  const old = outcomeOf({ settledAtMs: noon - 61 * dayMs });
  const receipts = new Map([
    ['bk_x#0', outcomeOf()],
    ['bk_x#1', outcomeOf()],
    ['bk_x#2', old],
  ]);

  test('go once they are known to be in the ledger or are past their time, and not before', () => {
    const state = { ...newAccount, rev: 1, receipts };
    const pruned = (prunable: string[]): unknown =>
      settle(inputOf({ state, prunable: new Set(prunable) })).change?.prunedReceipts;
    expect(pruned([])).toEqual(['bk_x#2']);
    expect(pruned(['bk_x#1'])).toEqual(['bk_x#1', 'bk_x#2']);
  });

  test('of the chunk being decided again is replaced, not removed in the same write', () => {
    const state = { ...newAccount, rev: 1, receipts: new Map([[chunkIdOf(chunkOf()), old]]) };
    const { change } = settle(inputOf({ state, prunable: new Set([chunkIdOf(chunkOf())]) }));
    expect(change?.prunedReceipts).toEqual([]);
    expect(change?.receipts.get('bk_a#0')?.settledAtMs).toBe(noon);
  });

  test('of great number go a hundred at a time', () => {
    const many = new Map(Array.from({ length: 250 }, (_, i) => [`bk_x#${i}`, outcomeOf()]));
    const state = { ...newAccount, rev: 1, receipts: many };
    expect(settle(inputOf({ state, prunable: new Set(many.keys()) })).change?.prunedReceipts).toHaveLength(100);
  });
});

test.each([[[]], [[0]], [[1, -1]], [[1.5]], [[Number.NaN]]])('costs %j are a mistake of the caller', (costs) => {
  expect(() => settle(inputOf({ chunks: [chunkOf({ costs })] }))).toThrow(InvalidArgumentError);
  expect(() => settle(inputOf({ chunks: [chunkOf({ costs })] }))).toThrow('bk_a#0');
});

test('the write is bound to the rev that was read', () => {
  expect(settle(inputOf()).change?.seenRev).toBeNull();
  expect(settle(inputOf({ state: { ...newAccount, rev: 41 } })).change?.seenRev).toBe(41);
});
