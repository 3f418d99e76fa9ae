import fc from 'fast-check';
import { expect, test } from 'vitest';
import { releaseTimes } from './release-times.ts';
import type { ChunkSlots, Slot } from './slots.ts';
import { chunksInTurn } from './testing/arbitraries.ts';
import { noon } from './testing/messages.ts';
import { settledInTurn } from './testing/slots.ts';

const settledAtMs = Date.parse(noon);
const rate = { refillPerSecond: 1, burst: 1 };
const ones = (count: number): number[] => Array<number>(count).fill(1);

/** Release instants of one chunk's slots, in milliseconds after noon. */
function afterNoon({ slots }: ChunkSlots, times: ReadonlyMap<Slot, number>): number[] {
  return slots.map((slot) => (times.get(slot) ?? Number.NaN) - settledAtMs);
}

test('slots that are sent when they were settled go out when they are due', () => {
  fc.assert(
    fc.property(chunksInTurn, (inTurn) => {
      const chunks = settledInTurn(inTurn);
      const times = releaseTimes(chunks, settledAtMs);
      const slots = chunks.flatMap((chunk) => chunk.slots);
      // Each due instant is rounded up to the millisecond, and slots round once more than their rows did.
      for (const slot of slots) {
        const releaseAtMs = times.get(slot) ?? 0;
        expect(releaseAtMs).toBeGreaterThanOrEqual(slot.dueAtMs);
        expect(releaseAtMs).toBeLessThanOrEqual(slot.dueAtMs + slots.length);
      }
    }),
    { numRuns: 200 },
  );
});

test('slots that are sent late go out no later than by that', () => {
  fc.assert(
    fc.property(chunksInTurn, fc.nat(3_600_000), (inTurn, lateMs) => {
      const chunks = settledInTurn(inTurn);
      const times = releaseTimes(chunks, settledAtMs + lateMs);
      const slots = chunks.flatMap((chunk) => chunk.slots);
      for (const slot of slots) {
        expect(times.get(slot)).toBeGreaterThanOrEqual(Math.max(slot.dueAtMs, settledAtMs + lateMs));
        expect(times.get(slot)).toBeLessThanOrEqual(slot.dueAtMs + lateMs + slots.length);
      }
    }),
    { numRuns: 200 },
  );
});

test('overdue slots of all chunks of an account together go out at the bucket rate from now on', () => {
  fc.assert(
    fc.property(chunksInTurn, fc.integer({ min: 0, max: 7_200_000 }), (inTurn, lateMs) => {
      const chunks = settledInTurn(inTurn);
      const nowMs = settledAtMs + lateMs;
      const times = releaseTimes(chunks, nowMs);
      const released = chunks
        .flatMap(({ slots }) =>
          slots.map(({ cost, ...slot }, i) => ({ cost, at: times.get(slots[i] ?? { cost, ...slot }) ?? 0 })),
        )
        .sort((a, b) => a.at - b.at);
      expect(released.every(({ at }) => at >= nowMs)).toBe(true);
      const { refillPerSecond, burst } = inTurn.rate;
      for (const [i, first] of released.entries()) {
        let cost = 0;
        let largest = 0;
        for (const slot of released.slice(i)) {
          cost += slot.cost;
          largest = Math.max(largest, slot.cost);
          const bound = Math.max(burst, largest) + (refillPerSecond * (slot.at - first.at)) / 1000;
          expect(cost).toBeLessThanOrEqual(bound * (1 + 1e-9));
        }
      }
    }),
    { numRuns: 200 },
  );
});

test('an hour late, one slot goes at once and each further one as the bucket refills', () => {
  const [chunk] = settledInTurn({ chunks: [ones(4)], rate });
  if (chunk === undefined) throw new Error('no chunk');
  const times = releaseTimes([chunk], settledAtMs + 3_600_000);
  expect(afterNoon(chunk, times)).toEqual([3_600_000, 3_601_000, 3_602_000, 3_603_000]);
});

test('a slot due now does not wait behind one due in an hour that came before it', () => {
  const chunks = settledInTurn({ chunks: [ones(5), ones(3600), ones(5)], rate });
  const inOrder = releaseTimes(chunks, settledAtMs);
  const reversed = releaseTimes(chunks.toReversed(), settledAtMs);
  for (const chunk of chunks) {
    expect(afterNoon(chunk, reversed)).toEqual(afterNoon(chunk, inOrder));
    expect(afterNoon(chunk, reversed)).toEqual(chunk.slots.map(({ dueAtMs }) => dueAtMs - settledAtMs));
  }
});

test('a slot above the burst goes at once when it is overdue: it has waited already', () => {
  const [chunk] = settledInTurn({ chunks: [[2000, 1]], rate });
  if (chunk === undefined) throw new Error('no chunk');
  expect(afterNoon(chunk, releaseTimes([chunk], settledAtMs))).toEqual([1_999_000, 2_000_000]);
  expect(afterNoon(chunk, releaseTimes([chunk], settledAtMs + 1_998_000))).toEqual([1_999_000, 2_000_000]);
  expect(afterNoon(chunk, releaseTimes([chunk], settledAtMs + 3_000_000))).toEqual([3_000_000, 3_001_000]);
});

test('a slot above the burst has waited for as long as a slow bucket needs', () => {
  const [chunk] = settledInTurn({ chunks: [[9, 1]], rate: { refillPerSecond: 0.5, burst: 5 } });
  if (chunk === undefined) throw new Error('no chunk');
  expect(afterNoon(chunk, releaseTimes([chunk], settledAtMs + 60_000))).toEqual([60_000, 62_000]);
});

test("another account's overdue slots do not slow an account down", () => {
  const ada = settledInTurn({ chunks: [ones(3)], rate, accountId: 'ada' });
  const bob = settledInTurn({ chunks: [ones(3)], rate, accountId: 'bob' });
  const times = releaseTimes([...ada, ...bob], settledAtMs + 10_000);
  for (const chunk of [...ada, ...bob]) expect(afterNoon(chunk, times)).toEqual([10_000, 11_000, 12_000]);
});

test('slots of a slow policy of before do not hold up those of a faster one', () => {
  const slow = settledInTurn({ chunks: [ones(100)], rate: { refillPerSecond: 0.1, burst: 1 } });
  const fast = settledInTurn({ chunks: [ones(50)], rate: { refillPerSecond: 100, burst: 1 } });
  const times = releaseTimes([...slow, ...fast], settledAtMs);
  for (const chunk of fast) {
    expect(afterNoon(chunk, times)).toEqual(chunk.slots.map(({ dueAtMs }) => dueAtMs - settledAtMs));
  }
});

test('nothing to release is no fault', () => {
  expect(releaseTimes([], settledAtMs).size).toBe(0);
});
