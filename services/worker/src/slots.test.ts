import { Pacing } from '@usher/contracts';
import { dispatchTimes } from '@usher/limiter-core/bulk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toPacing } from './hand-off.ts';
import { type Slot, slotsOf, slotsOfPacing } from './slots.ts';
import { chunksInTurn, settledChunk } from './testing/arbitraries.ts';
import { deliveryOf, noon, outcomeOf, rowsOf } from './testing/messages.ts';
import { settledInTurn } from './testing/slots.ts';

const settledAtMs = Date.parse(noon);
const shape = ({ slot, dueAtMs, cost, rows }: Slot) => [slot, dueAtMs - settledAtMs, cost, rows.map(({ id }) => id)];

test('what is due at once is slot 0, what is due in the n-th second after is slot n', () => {
  const costs = [1, 1, 1, 2, 1];
  const slots = slotsOf(rowsOf(costs), outcomeOf(costs, { burst: 2, refillPerSecond: 2 }));
  expect(slots.map(shape)).toEqual([
    [0, 0, 2, ['r-0', 'r-1']],
    [1, 500, 1, ['r-2']],
    [2, 2000, 3, ['r-3', 'r-4']],
  ]);
});

test('rejected rows are in no slot', () => {
  const costs = [1, 9, 1];
  const outcome = outcomeOf(costs, { reasons: [null, 'daily_quota_exceeded', null], grantedCost: 2 });
  expect(slotsOf(rowsOf(costs), outcome).flatMap(({ rows }) => rows.map(({ id }) => id))).toEqual(['r-0', 'r-2']);
});

test('a chunk wholly rejected has no slots', () => {
  expect(slotsOf(rowsOf([5]), outcomeOf([5], { reasons: ['exceeds_limit'], grantedCost: 0 }))).toEqual([]);
});

test('observed rows are in slots though something stands against them', () => {
  const outcome = outcomeOf([5], { policyMode: 'observe', reasons: ['exceeds_limit'] });
  expect(slotsOf(rowsOf([5]), outcome)).toHaveLength(1);
});

test('each granted row is in exactly one slot with its details, and no slot is due before any of its rows', () => {
  fc.assert(
    fc.property(settledChunk, ({ message, outcome }) => {
      const slots = slotsOf(message.reservations, outcome);
      const due = dispatchTimes(outcome, message.reservations);
      const expected = message.reservations.flatMap((row, i) => {
        const dueAtMs = due[i] ?? null;
        return dueAtMs === null ? [] : [{ ...row, dueAtMs }];
      });
      expect(slots.flatMap(({ rows }) => rows)).toEqual(expected);
      expect(new Set(slots.map(({ slot }) => slot)).size).toBe(slots.length);
      for (const slot of slots) {
        for (const row of slot.rows) {
          expect(slot.dueAtMs).toBeGreaterThanOrEqual(row.dueAtMs);
          expect(slot.slot).toBe(Math.ceil((row.dueAtMs - outcome.settledAtMs) / 1000));
        }
        expect(slot.cost).toBe(slot.rows.reduce((total, { cost }) => total + cost, 0));
      }
      expect(slotsOf(message.reservations, outcome)).toEqual(slots);
    }),
    { numRuns: 100 },
  );
});

test('slots come back from a pacing message as they went, whichever of them it holds', () => {
  fc.assert(
    fc.property(chunksInTurn, fc.nat(30), (inTurn, from) => {
      for (const chunk of settledInTurn(inTurn)) {
        const held = { ...chunk, slots: chunk.slots.slice(Math.min(from, chunk.slots.length - 1)) };
        const delivery = deliveryOf(JSON.stringify(toPacing(held, 'settled')), 'p');
        const pacing = Pacing.assert(JSON.parse(delivery.body));
        expect(slotsOfPacing({ delivery, accountId: pacing.accountId, pacing })).toEqual({
          ...held,
          delivery,
          nextHop: 1,
        });
      }
    }),
    { numRuns: 50 },
  );
});
