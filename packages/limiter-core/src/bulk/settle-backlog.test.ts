import { describe, expect, test } from 'vitest';
import { type AccountState, applyChange, newAccount } from './account.ts';
import { dispatchTimes, type Outcome, type RejectReason } from './outcome.ts';
import { type SettleInput, settle } from './settle.ts';
import { chunkOf, dayMs, inputOf, noon, policyOf, settledOutcome, today } from './testing/build.ts';
import { closeBucket, maxBacklogMs, maxClockSkewMs } from './token-bucket.ts';

const late: RejectReason = 'pacing_backlog_full';
const over: RejectReason = 'daily_quota_exceeded';
const never: RejectReason = 'exceeds_limit';
const policy = policyOf({ dailyLimit: 100_000, refillPerSecond: 1, burst: 1 });

/** An account whose next cost of 1 is due so long after noon. */
function accountWaiting(waitMs: number): AccountState {
  return { ...newAccount, rev: 1, bucket: closeBucket({ nowMs: noon, debtMicros: waitMs * 1000 }, policy) };
}

function dueTimes(outcome: Outcome, costs: readonly number[]): (number | null)[] {
  return dispatchTimes(
    outcome,
    costs.map((cost) => ({ cost })),
  );
}

function settled(fields: Partial<SettleInput>) {
  const input = inputOf({ policy, ...fields });
  const { chunks, change, wrongClockAheadMs } = settle(input);
  const state = (change && applyChange(input.state, change)) ?? input.state;
  const [outcome] = chunks.map(settledOutcome);
  if (outcome === undefined) throw new Error('a chunk must be given');
  return { outcome, change, state, wrongClockAheadMs };
}

describe('a row that would be due more than 12 days after its decision', () => {
  test('is rejected, and one due just then is not', () => {
    const state = accountWaiting(maxBacklogMs - 1000);
    const { outcome } = settled({ state, chunks: [chunkOf({ costs: [1, 1, 1] })] });
    expect(outcome.reasons).toEqual([null, null, late]);
    expect(dueTimes(outcome, [1, 1, 1])).toEqual([noon + maxBacklogMs - 1000, noon + maxBacklogMs, null]);
  });

  test('takes neither quota nor a turn: a smaller one after it still fits', () => {
    const state = accountWaiting(maxBacklogMs - 5000);
    const { outcome, change } = settled({ state, chunks: [chunkOf({ costs: [9, 2, 9, 3] })] });
    expect(outcome).toMatchObject({ reasons: [late, null, late, null], grantedCost: 5, rejectedCost: 18 });
    expect(change?.windows.get(today)).toMatchObject({ granted: 5, rejected: 18, over: 0 });
    expect(dueTimes(outcome, [9, 2, 9, 3])).toEqual([
      null,
      noon + maxBacklogMs - 4000,
      null,
      noon + maxBacklogMs - 1000,
    ]);
  });

  test('leaves the bucket as it was where nothing else is granted', () => {
    const { outcome, change } = settled({ state: accountWaiting(maxBacklogMs + 1), chunks: [chunkOf()] });
    expect(outcome).toMatchObject({ reasons: [late], grantedCost: 0, rejectedCost: 1 });
    expect(change?.bucket).toBeUndefined();
  });

  test('is told apart from one that the quota rejects, which is not asked about its turn', () => {
    const tight = policyOf({ ...policy, dailyLimit: 10 });
    const { outcome } = settled({
      policy: tight,
      state: accountWaiting(maxBacklogMs),
      chunks: [chunkOf({ costs: [11, 2, 1, 10] })],
    });
    expect(outcome.reasons).toEqual([never, late, null, over]);
  });

  test('rejects an all-or-nothing chunk by its last row, and all of it', () => {
    const chunk = chunkOf({ bookingMode: 'all-or-nothing', costs: [1, 1, 1] });
    const fits = settled({ state: accountWaiting(maxBacklogMs - 2000), chunks: [chunk] });
    expect(fits.outcome.reasons).toEqual([null, null, null]);
    const state = accountWaiting(maxBacklogMs - 1999);
    const { outcome, change } = settled({ state, chunks: [chunk] });
    expect(outcome).toMatchObject({ reasons: [late, late, late], grantedCost: 0, rejectedCost: 3 });
    expect(change?.bucket).toBeUndefined();
  });

  test('is rejected in observe mode too, which grants the others whatever the quota says', () => {
    const observing = policyOf({ ...policy, dailyLimit: 1, mode: 'observe' });
    const state = accountWaiting(maxBacklogMs - 1000);
    const { outcome, change } = settled({ policy: observing, state, chunks: [chunkOf({ costs: [1, 1, 1] })] });
    expect(outcome).toMatchObject({ reasons: [null, over, late], grantedCost: 2, rejectedCost: 1 });
    expect(change?.windows.get(today)).toMatchObject({ granted: 2, rejected: 1, over: 1 });
    expect(dueTimes(outcome, [1, 1, 1])).toEqual([noon + maxBacklogMs - 1000, noon + maxBacklogMs, null]);
    const whole = chunkOf({ bookingMode: 'all-or-nothing', costs: [1, 1, 1] });
    expect(settled({ policy: observing, state, chunks: [whole] }).outcome.reasons).toEqual([late, late, late]);
    const unhurried = settled({ policy: observing, chunks: [whole] });
    expect(unhurried.outcome).toMatchObject({ reasons: [never, never, never], grantedCost: 3, rejectedCost: 0 });
  });
});

describe('clocks that differ', () => {
  test('a decision is made at the instant of the one before it where its own clock lies behind', () => {
    const first = settled({ chunks: [chunkOf()], nowMs: noon + 5000 });
    const { outcome } = settled({ state: first.state, chunks: [chunkOf({ chunkIndex: 1 })], nowMs: noon });
    expect(outcome.settledAtMs).toBe(noon + 5000);
    expect(dueTimes(outcome, [1])).toEqual([noon + 6000]);
  });

  test('a bucket of a wrong clock is emptied now, and the settlement tells of it', () => {
    const aheadMs = maxClockSkewMs + 1;
    const wrong = settled({ chunks: [chunkOf()], nowMs: noon + aheadMs });
    const { outcome, wrongClockAheadMs, state } = settled({ state: wrong.state, chunks: [chunkOf({ chunkIndex: 1 })] });
    expect(wrongClockAheadMs).toBe(aheadMs);
    expect(outcome.settledAtMs).toBe(noon);
    expect(dueTimes(outcome, [1])).toEqual([noon + 1000]);
    expect(settled({ state, chunks: [chunkOf({ chunkIndex: 2 })] }).wrongClockAheadMs).toBeUndefined();
  });

  test('which is told with the write that mends it: a denial leaves the bucket, and says nothing', () => {
    const wrong = settled({ chunks: [chunkOf()], nowMs: noon + 20 * dayMs });
    const full = policyOf({ ...policy, dailyLimit: 0 });
    const denied = settled({ policy: full, state: wrong.state, chunks: [chunkOf({ chunkIndex: 1 })] });
    expect(denied.wrongClockAheadMs).toBeUndefined();
    expect(denied.change?.bucket).toBeUndefined();
  });
});
