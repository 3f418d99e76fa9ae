import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type AccountState, applyChange, newAccount } from '../account.ts';
import { settle } from '../settle.ts';
import { chunkOf, dayMs, hourMs, inputOf, noon, policyOf } from '../testing/build.ts';
import { toUpdate } from './account-update.ts';

const limit = 10;

/** Settlings over weeks: of chunks up to 28 days late, by workers whose clocks are days and weeks off. */
const settlings = fc.array(
  fc.record({
    pauseHours: fc.nat(200),
    clockOffDays: fc.constantFrom(0, 0, 0, 1, -1, 2, -2, 5, 20, 27),
    chunks: fc.array(
      fc.record({
        ageHours: fc.oneof(fc.constant(0), fc.nat(27 * 24)),
        zoneHours: fc.integer({ min: -12, max: 14 }),
        cost: fc.integer({ min: 1, max: 7 }),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  { minLength: 5, maxLength: 40 },
);

test('no window is granted a second time, and none is written twice by one write, however late chunks come and clocks differ', () => {
  fc.assert(
    fc.property(settlings, (steps) => {
      let state: AccountState = newAccount;
      let trueMs = noon;
      const granted = new Map<string, number>();
      steps.forEach(({ pauseHours, clockOffDays, chunks: drawn }, step) => {
        trueMs += pauseHours * hourMs;
        const chunks = drawn.map(({ ageHours, zoneHours, cost }, chunkIndex) => {
          const acceptedAtMs = trueMs - ageHours * hourMs;
          const date = new Date(acceptedAtMs + zoneHours * hourMs).toISOString().slice(0, 10);
          return chunkOf({ bookingId: `bk_${step}`, chunkIndex, acceptedAtMs, date, costs: [cost] });
        });
        const nowMs = trueMs + clockOffDays * dayMs;
        const { chunks: settled, change } = settle(
          inputOf({ state, chunks, nowMs, policy: policyOf({ dailyLimit: limit }) }),
        );
        if (change === undefined) return;
        for (const one of settled) {
          if (one.kind !== 'settled') continue;
          const { date, grantedCost } = one.outcome;
          granted.set(date, (granted.get(date) ?? 0) + grantedCost);
          expect(granted.get(date)).toBeLessThanOrEqual(limit);
        }
        const { UpdateExpression = '' } = toUpdate(change);
        const written = UpdateExpression.match(/#\d+/g) ?? [];
        expect(new Set(written).size).toBe(written.length);
        const after = applyChange(state, change);
        if (after === undefined) throw new Error('the change met a condition that does not hold');
        state = after;
        for (const [date, { used }] of state.usage) expect(used).toBe(granted.get(date));
      });
    }),
    { numRuns: 100 },
  );
});
