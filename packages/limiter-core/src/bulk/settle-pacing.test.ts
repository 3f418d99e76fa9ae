import { describe, expect, test } from 'vitest';
import { dispatchTimes } from './outcome.ts';
import { settle } from './settle.ts';
import { chunkOf, dayMs, inputOf, noon, policyOf, rowsOf } from './testing/build.ts';
import { accountWith, settleAndApply } from './testing/settle-and-apply.ts';
import { closeBucket } from './token-bucket.ts';

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
    const state = { ...accountWith(10), bucket: closeBucket({ nowMs: noon, debtMicros: 5_000_000 }, policy) };
    const settlement = settle(inputOf({ state }));
    expect(settlement.change?.bucket).toBeUndefined();
    expect(settleAndApply({ state }).state.bucket).toEqual(state.bucket);
  });

  test('gives no token twice where the refill was changed', () => {
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
