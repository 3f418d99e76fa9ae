import { describe, expect, test } from 'vitest';
import { type AccountState, newAccount, type WindowUsage } from './account.ts';
import { type ChunkToSettle, settle } from './settle.ts';
import { chunkOf, dayMs, inputOf, noon, today } from './testing/build.ts';
import { settleAndApply } from './testing/settle-and-apply.ts';

const dateOf = (daysAgo: number): string => new Date(noon - daysAgo * dayMs).toISOString().slice(0, 10);

function stateWith(usage: Record<string, Partial<WindowUsage>>, closed: readonly string[] = []): AccountState {
  const full = Object.entries(usage).map(
    ([date, some]) => [date, { used: 1, rejected: 0, over: 0, limit: 10, ...some }] as const,
  );
  return { ...newAccount, rev: 4, usage: new Map(full), closed: new Set(closed) };
}

describe('a window', () => {
  test('is closed by the next write once its date is over everywhere, by a margin', () => {
    const state = stateWith({ [dateOf(2)]: {}, [dateOf(1)]: {}, [today]: {} });
    const { change } = settle(inputOf({ state }));
    expect(change?.endedDates).toEqual([dateOf(2)]);
    expect(change?.history).toEqual(new Map([[dateOf(2), state.usage.get(dateOf(2))]]));
    const sooner = settle(inputOf({ state, nowMs: Date.parse(today) }));
    expect(sooner.change).toMatchObject({ endedDates: [], history: undefined });
  });

  test('that is closed is written again only where something changes in closed ones', () => {
    const state = stateWith({ [dateOf(3)]: {}, [today]: {} }, [dateOf(3)]);
    expect(settle(inputOf({ state })).change?.history).toBeUndefined();
  });

  test('stays for 30 days after its last local day, and goes with a later write', () => {
    const state = stateWith({ [dateOf(31)]: {}, [dateOf(32)]: {}, [dateOf(33)]: {} }, [dateOf(31), dateOf(33)]);
    const { change } = settle(inputOf({ state }));
    expect(change?.endedDates).toEqual([dateOf(32)]);
    expect([...(change?.history?.keys() ?? [])]).toEqual([dateOf(31)]);
  });

  test('that is closed keeps its history when the last of it goes', () => {
    const state = stateWith({ [dateOf(33)]: {}, [today]: {} }, [dateOf(33)]);
    expect(settle(inputOf({ state })).change?.history).toEqual(new Map());
  });
});

describe('a late chunk', () => {
  const late = chunkOf({ date: dateOf(20), acceptedAtMs: noon - 20 * dayMs, costs: [4, 4] });
  const closed = stateWith({ [dateOf(20)]: { used: 5, rejected: 2 }, [today]: {} }, [dateOf(20)]);

  test('counts in its closed window, which is replaced, and in no counter', () => {
    const { change } = settle(inputOf({ state: closed, chunks: [late] }));
    expect(change?.windows).toEqual(new Map());
    expect(change?.history).toEqual(new Map([[dateOf(20), { used: 9, rejected: 6, over: 0, limit: 10 }]]));
    expect(change?.seenRev).toBe(4);
  });

  test('is judged by what its closed window has granted: nothing is granted a second time', () => {
    const full = stateWith({ [dateOf(20)]: { used: 10 } }, [dateOf(20)]);
    const { outcomes, state } = settleAndApply({ state: full, chunks: [late] });
    expect(outcomes[0]).toMatchObject({ usedBefore: 10, grantedCost: 0, rejectedCost: 8 });
    expect(state.usage.get(dateOf(20))).toEqual({ used: 10, rejected: 8, over: 0, limit: 10 });
  });

  test('closes the window that it counts in with the same write', () => {
    const open = stateWith({ [dateOf(20)]: { used: 5 } });
    const { state } = settleAndApply({ state: open, chunks: [late] });
    expect([...state.closed]).toEqual([dateOf(20)]);
    expect(state.usage.get(dateOf(20))?.used).toBe(9);
  });

  test('of a window that never was opens a closed one', () => {
    const { state } = settleAndApply({ chunks: [late] });
    expect(state.usage).toEqual(new Map([[dateOf(20), { used: 8, rejected: 0, over: 0, limit: 10 }]]));
    expect([...state.closed]).toEqual([dateOf(20)]);
  });

  test('for a clock that is behind finds the closed window closed', () => {
    const chunk = chunkOf({ date: today, costs: [3] });
    const ahead = stateWith({ [today]: { used: 5 } }, [today]);
    const { change } = settle(inputOf({ state: ahead, chunks: [chunk] }));
    expect(change?.windows).toEqual(new Map());
    expect(change?.history?.get(today)?.used).toBe(8);
  });

  test('finds its window after a clock that was weeks ahead: such a clock alone forgets none', () => {
    const full = stateWith({ [dateOf(20)]: { used: 10 } }, [dateOf(20)]);
    const after = settleAndApply({ state: full, chunks: [chunkOf({ bookingId: 'bk_b' })], nowMs: noon + 27 * dayMs });
    const { outcomes } = settleAndApply({ state: after.state, chunks: [late] });
    expect(outcomes[0]).toMatchObject({ usedBefore: 10, grantedCost: 0, rejectedCost: 8 });
  });

  test('decided alone forgets no window that one accepted before it may still count in', () => {
    const oldest = stateWith({ [dateOf(33)]: { used: 10 } }, [dateOf(33)]);
    const { state } = settleAndApply({ state: oldest, chunks: [late] });
    expect(state.usage.get(dateOf(33))?.used).toBe(10);
  });

  test('of a window past its time counts in it all the same', () => {
    const { state } = settleAndApply({ chunks: [chunkOf({ date: dateOf(40) })] });
    expect(state.usage.get(dateOf(40))?.used).toBe(1);
  });

  test.each([
    { story: 'before one of today', order: (older: ChunkToSettle, newer: ChunkToSettle) => [older, newer] },
    { story: 'behind one of today', order: (older: ChunkToSettle, newer: ChunkToSettle) => [newer, older] },
  ])('$story lets windows go as the newest acceptance tells', ({ order }) => {
    const oldest = stateWith({ [dateOf(33)]: {} }, [dateOf(33)]);
    const { state } = settleAndApply({ state: oldest, chunks: order(late, chunkOf({ bookingId: 'bk_b' })) });
    expect(state.usage.has(dateOf(33))).toBe(false);
  });

  test('finds its window after an acceptance that was days ahead, for such a clock alone forgets none either', () => {
    const full = stateWith({ [dateOf(31)]: {} }, [dateOf(31)]);
    const { state } = settleAndApply({ state: full, chunks: [chunkOf({ acceptedAtMs: noon + 2 * dayMs })] });
    expect(state.usage.has(dateOf(31))).toBe(true);
  });

  test('beside one of today is one write', () => {
    const chunks = [late, chunkOf({ chunkIndex: 1 })];
    const { outcomes, state } = settleAndApply({ state: closed, chunks });
    expect(outcomes.map(({ grantedCost }) => grantedCost)).toEqual([4, 1]);
    expect(state.usage.get(today)?.used).toBe(2);
  });
});
