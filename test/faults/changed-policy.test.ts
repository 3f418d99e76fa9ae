import { describe, expect, it } from 'vitest';
import { expectBalance, expectNothingSetAside, finish } from '../support/books.ts';
import { at } from '../support/process-faults.ts';
import { visibilityMs } from '../support/world.ts';
import { limits, startScenario, submitAll, undisturbed } from './scenario.ts';

describe('chunks that were counted before their policy changed', () => {
  it.each([
    { change: 'a lower limit', policy: { dailyLimit: 10, refillPerSecond: 1, burst: 5 } },
    { change: 'a higher limit', policy: { dailyLimit: 5_000, refillPerSecond: 1_000, burst: 5_000 } },
    { change: 'observe mode', policy: { dailyLimit: limits.ada, mode: 'observe' } },
    { change: 'other thresholds and another zone', policy: { thresholds: [0.1], timezone: 'Pacific/Kiritimati' } },
  ])('are redelivered under $change with the verdict, slots, ids and events of the first settling', async (changed) => {
    const original = await undisturbed();
    for (const step of ['BatchWriteItem', 'PutEvents']) {
      const { world, bookings } = await startScenario();
      expect(await world.worker(at(step, 1, 'crash before')).settle()).toBe('crashed');
      await world.setPolicies({ ada: changed.policy });
      world.clock.advance(visibilityMs);
      const books = await finish(world);
      expect(books).toEqual(original);
      expectBalance(books, bookings, limits);
      await expectNothingSetAside(world);
    }
  });

  it('are replayed beside chunks of the same batch that are decided under the new one', async () => {
    const { world, bookings } = await startScenario();
    expect(await world.worker(at('BatchWriteItem', 1, 'crash before')).settle()).toBe('crashed');
    await world.setPolicies({ ada: { dailyLimit: 252 } });
    const later = await submitAll(world, [{ accountId: 'ada', key: 'late', costs: [2, 1] }]);
    world.clock.advance(visibilityMs);
    const books = await finish(world);
    const ledgerOf = (bookingId: string | undefined) => books.ledger.get(`${bookingId}#0`)?.outcome;
    expect(ledgerOf(bookings[0]?.bookingId)).toMatchObject({ limit: 250, grantedCost: 100 });
    expect(ledgerOf(later[0]?.bookingId)).toMatchObject({
      limit: 252,
      usedBefore: 250,
      reasons: [null, 'daily_quota_exceeded'],
    });
    expect(books.counters.get('ada')).toEqual({ used: 252, rejected: 351 });
    await expectNothingSetAside(world);
  });
});
