import { describe, expect, test } from 'vitest';
import { FaultyWeek, type FaultyWeekOptions } from './testing/faulty-week.ts';
import { bookingIdOf, chunkOf, noon } from './testing/messages.ts';

const hourMs = 3_600_000;
const startMs = Date.parse(noon);
const at = (hours: number): number => startMs + hours * hourMs;

/** Twelve rows of two accounts each, one due every fourteen hours, the last one after a week. */
const chunks = ['ada', 'bob'].map((accountId, i) => {
  const reservations = Array.from({ length: 12 }, (_, row) => ({ id: `${accountId}-${row}`, cost: 5045 }));
  return chunkOf({ accountId, bookingId: bookingIdOf(i), reservations });
});
const policy = { mode: 'observe', dailyLimit: 8_641, refillPerSecond: 0.1, burst: 1 } as const;

/** A week with an outage of 40 hours, after which dead letters are redriven, and with chunks settled again in between. */
function weekOf(seed: number, fields: Partial<FaultyWeekOptions> = {}): FaultyWeek {
  return new FaultyWeek({
    seed,
    chunks,
    policy,
    settledAtMs: [at(0), at(1), at(30), at(100)],
    outages: [
      { of: 'pacing', fromMs: at(20), toMs: at(60) },
      { of: 'dispatch', fromMs: at(70), toMs: at(76) },
      { of: 'table', fromMs: at(90), toMs: at(125) },
    ],
    redrivenAtMs: [at(40), at(66), at(67), at(124), at(126), at(127)],
    ...fields,
  });
}

describe.each([1, 2])('a week of lost replies, crashes, outages and redrives, seed %d', (seed) => {
  test('hands each row on under one id, with few copies alive and the last slot in time', async () => {
    const week = weekOf(seed);
    await week.play();
    const idsOf = new Map<string, Set<string>>();
    for (const { dispatchId, reservations } of week.arrived) {
      for (const { id } of reservations) idsOf.set(id, (idsOf.get(id) ?? new Set()).add(dispatchId));
    }
    expect(idsOf.size).toBe(24);
    expect([...idsOf.values()].every(({ size }) => size === 1)).toBe(true);
    for (const { arrivedAtMs, dispatchAt } of week.arrived) {
      expect(arrivedAtMs).toBeGreaterThanOrEqual(Date.parse(dispatchAt));
    }
    for (const { accountId } of chunks) {
      const last = week.arrived.filter((one) => one.reservations.some(({ id }) => id === `${accountId}-11`));
      const lateMs = Math.min(...last.map((one) => one.arrivedAtMs - Date.parse(one.dispatchAt)));
      expect(lateMs).toBeLessThanOrEqual(1000);
    }
    expect(week.redriven).toBeGreaterThan(0);
    expect(week.hops).toBeGreaterThan(600);
    expect(week.mostCopies).toBeLessThanOrEqual(8);
  });
});

test('without claims the copies of two days would have no bound', async () => {
  const week = weekOf(1, { hops: { claim: async () => 'won' }, outages: [], settledAtMs: [at(0)], redrivenAtMs: [] });
  await week.play(() => week.mostCopies > 200);
  expect(week.mostCopies).toBeGreaterThan(200);
});
