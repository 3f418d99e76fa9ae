import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AccountState, applyChange, newAccount, outcomesOf } from './account.ts';
import { chunkIdOf } from './ledger.ts';
import { dispatchTimes, isGranted, type Outcome, type RejectReason, usedAfter } from './outcome.ts';
import type { Policy } from './policy.ts';
import { type ChunkToSettle, settle } from './settle.ts';
import { chunkLists, policies } from './testing/arbitraries.ts';
import { inputOf, noon, settledOutcome } from './testing/build.ts';
import { type DueRow, largestShare } from './testing/pace-oracle.ts';

/** One delivery: some chunks, the policy of that moment, and how long after the one before it comes. */
interface Delivery {
  readonly chunks: readonly ChunkToSettle[];
  readonly policy: Policy;
  readonly elapsedMs: number;
}

const deliveries: fc.Arbitrary<Delivery[]> = fc.array(
  fc.record({ chunks: chunkLists, policy: policies, elapsedMs: fc.integer({ min: -2000, max: 20_000 }) }),
  { minLength: 1, maxLength: 6 },
);

interface Decided {
  readonly chunk: ChunkToSettle;
  readonly outcome: Outcome;
}

/** Settles deliveries one after another; `each` sees every step. */
function settleAll(
  list: readonly Delivery[],
  each: (step: { delivery: Delivery; before: AccountState; after: AccountState; decided: Decided[] }) => void,
): void {
  let state = newAccount;
  let nowMs = noon;
  for (const delivery of list) {
    nowMs += delivery.elapsedMs;
    const { chunks, change } = settle(inputOf({ ...delivery, state, nowMs }));
    const after = change === undefined ? state : applyChange(state, change);
    if (after === undefined) throw new Error('a settlement must meet its own condition');
    const decided = delivery.chunks.flatMap((chunk, i) => {
      const result = chunks[i];
      return result?.kind === 'settled' && result.origin === 'new' ? [{ chunk, outcome: result.outcome }] : [];
    });
    each({ delivery, before: state, after, decided });
    state = after;
  }
}

function totalOf(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

test('no grant takes a window above the limit that it was decided under', () => {
  fc.assert(
    fc.property(deliveries, (list) => {
      settleAll(list, ({ decided }) => {
        for (const { outcome } of decided) {
          if (outcome.policyMode !== 'enforce' || outcome.grantedCost === 0) continue;
          expect(usedAfter(outcome)).toBeLessThanOrEqual(outcome.limit);
        }
      });
    }),
  );
});

test('the counters are the sum of all that was ever decided, and each outcome begins where the one before ended', () => {
  fc.assert(
    fc.property(deliveries, (list) => {
      const all: Decided[] = [];
      settleAll(list, ({ after, decided }) => {
        all.push(...decided);
        for (const [date, usage] of after.usage) {
          const ofDate = all.filter(({ outcome }) => outcome.date === date).map(({ outcome }) => outcome);
          expect(usage.used).toBe(totalOf(ofDate.map(({ grantedCost }) => grantedCost)));
          expect(usage.rejected).toBe(totalOf(ofDate.map(({ rejectedCost }) => rejectedCost)));
          let used = 0;
          for (const outcome of ofDate) {
            expect(outcome.usedBefore).toBe(used);
            used = usedAfter(outcome);
          }
        }
      });
    }),
  );
});

test('every row is granted or rejected, and its cost counted on one side', () => {
  fc.assert(
    fc.property(deliveries, (list) => {
      settleAll(list, ({ decided }) => {
        for (const { chunk, outcome } of decided) {
          expect(outcome.reasons).toHaveLength(chunk.rows.length);
          const granted = costsOf(chunk).filter((_, row) => isGranted(outcome, outcome.reasons[row] ?? null));
          expect(outcome.grantedCost).toBe(totalOf(granted));
          expect(outcome.grantedCost + outcome.rejectedCost).toBe(totalOf(costsOf(chunk)));
        }
      });
    }),
  );
});

test('first fit: in enforce mode a row is rejected only where it did not fit at its turn', () => {
  fc.assert(
    fc.property(deliveries, (list) => {
      settleAll(list, ({ decided }) => {
        for (const { chunk, outcome } of decided) {
          if (outcome.policyMode !== 'enforce') continue;
          expect(outcome.reasons).toEqual(firstFit(chunk, outcome.usedBefore, outcome.limit));
        }
      });
    }),
  );
});

function costsOf({ rows }: ChunkToSettle): number[] {
  return rows.map(({ cost }) => cost);
}

/** The rule as a partner would work it out by hand. */
function firstFit(chunk: ChunkToSettle, usedBefore: number, limit: number): (RejectReason | null)[] {
  const asked = chunk.bookingMode === 'partial' ? costsOf(chunk).map((cost) => [cost]) : [costsOf(chunk)];
  let room = limit - usedBefore;
  return asked.flatMap((costs) => {
    const cost = totalOf(costs);
    const fits = cost <= room;
    if (fits) room -= cost;
    return costs.map(() => (fits ? null : cost > limit ? 'exceeds_limit' : 'daily_quota_exceeded'));
  });
}

test('a chunk gets its first outcome for ever, whatever the policy has become', () => {
  fc.assert(
    fc.property(deliveries, (list) => {
      const first = new Map<string, Outcome>();
      let state = newAccount;
      let nowMs = noon;
      for (const delivery of list) {
        nowMs += delivery.elapsedMs;
        const { chunks, change } = settle(inputOf({ ...delivery, state, nowMs }));
        for (const [i, result] of chunks.entries()) {
          const chunk = delivery.chunks[i];
          if (chunk === undefined || result.kind !== 'settled') continue;
          const known = first.get(chunkIdOf(chunk));
          if (known === undefined) first.set(chunkIdOf(chunk), result.outcome);
          else expect(result.outcome).toEqual(known);
          expect(result.origin === 'new').toBe(known === undefined);
        }
        state = (change && applyChange(state, change)) ?? state;
      }
    }),
  );
});

test('a denial changes neither quota nor TAT: without its rejected rows a list leaves the same account', () => {
  fc.assert(
    fc.property(chunkLists, chunkLists, policies, (earlier, list, anyPolicy) => {
      const policy: Policy = { ...anyPolicy, mode: 'enforce' };
      const seeded = settle(inputOf({ chunks: earlier, policy }));
      const state = (seeded.change && applyChange(newAccount, seeded.change)) ?? newAccount;
      const fresh = list.filter((chunk) => !outcomesOf(state.receipts).has(chunkIdOf(chunk)));
      const all = settle(inputOf({ chunks: fresh, policy, state }));
      const grantedOnly = fresh.flatMap((chunk, i) => {
        const { reasons } = settledOutcome(all.chunks[i]);
        const rows = chunk.rows.filter((_, row) => reasons[row] === null);
        return rows.length === 0 ? [] : [{ ...chunk, rows }];
      });
      const without = settle(inputOf({ chunks: grantedOnly, policy, state }));
      const grantedOf = (change: typeof all.change): unknown =>
        new Map([...(change?.windows ?? [])].filter(([, w]) => w.granted > 0).map(([date, w]) => [date, w.granted]));
      expect(grantedOf(without.change)).toEqual(grantedOf(all.change));
      expect(without.change?.bucket).toEqual(all.change?.bucket);
    }),
  );
});

test('observe mode tells row by row what enforce mode would have decided on the same input', () => {
  fc.assert(
    fc.property(deliveries, (list) => {
      const reasonsIn = (mode: Policy['mode']): unknown[] => {
        const reasons: unknown[] = [];
        const moded = list.map((delivery) => ({ ...delivery, policy: { ...delivery.policy, mode } }));
        settleAll(moded, ({ decided }) => reasons.push(decided.map(({ outcome }) => outcome.reasons)));
        return reasons;
      };
      expect(reasonsIn('observe')).toEqual(reasonsIn('enforce'));
    }),
  );
});

test('what all chunks of an account hand on keeps promise 6 while policies and clocks change', () => {
  fc.assert(
    fc.property(deliveries, (list) => {
      const handed: DueRow[] = [];
      settleAll(list, ({ decided }) => {
        for (const { chunk, outcome } of decided) {
          for (const [row, dueAtMs] of dispatchTimes(outcome, chunk.rows).entries()) {
            const { refillPerSecond, burst } = outcome;
            const cost = chunk.rows[row]?.cost ?? Number.NaN;
            if (dueAtMs !== null) handed.push({ cost, dueAtMs, refillPerSecond, burst });
          }
        }
      });
      expect(largestShare(handed)).toBeLessThanOrEqual(1 + 1e-9);
    }),
  );
});
