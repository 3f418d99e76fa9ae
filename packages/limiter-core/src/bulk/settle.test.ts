import { describe, expect, test } from 'vitest';
import { InvalidArgumentError } from '../errors.ts';
import { settle } from './settle.ts';
import { chunkOf, inputOf, outcomeOf, policyOf, settledOutcome, today } from './testing/build.ts';
import { accountWith, never, over, settleAndApply, usedOn } from './testing/settle-and-apply.ts';
import { windowAt } from './window.ts';

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

test.each([[[]], [[0]], [[1, -1]], [[1.5]], [[Number.NaN]]])('costs %j are a mistake of the caller', (costs) => {
  expect(() => settle(inputOf({ chunks: [chunkOf({ costs })] }))).toThrow(InvalidArgumentError);
  expect(() => settle(inputOf({ chunks: [chunkOf({ costs })] }))).toThrow('bk_a#0');
});
