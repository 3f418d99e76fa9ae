import { virtualClock } from '@usher/limiter-core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AccountLimit } from './account-limit.ts';

const rate = { burst: 10, refillPerSecond: 2 };
const start = Date.parse('2026-11-29T12:00:00.000Z');

test('an account takes its burst at once, then as fast as the bucket refills', () => {
  const clock = virtualClock(start);
  const limit = new AccountLimit({ rate, clock });
  // At each second: the cost asked for, and the seconds to wait.
  const steps = [
    { second: 0, cost: 4, wait: 0 },
    { second: 0, cost: 6, wait: 0 },
    { second: 0, cost: 1, wait: 1 },
    { second: 0, cost: 10, wait: 5 },
    { second: 1, cost: 2, wait: 0 },
    { second: 1, cost: 3, wait: 2 },
    { second: 3, cost: 3, wait: 0 },
    { second: 60, cost: 10, wait: 0 },
    { second: 60, cost: 99, wait: 5 },
    { second: 65, cost: 99, wait: 0 },
  ];
  for (const { second, cost, wait } of steps) {
    clock.set(start + second * 1000);
    expect([second, cost, limit.take('a', cost)]).toEqual([second, cost, wait]);
  }
});

test('to ask takes nothing, and what is charged is owed at most up to the burst', () => {
  const clock = virtualClock(start);
  const limit = new AccountLimit({ rate, clock });
  for (let n = 0; n < 20; n++) expect(limit.waitSeconds('a', 10)).toBe(0);
  for (let n = 0; n < 20; n++) limit.charge('a', 10);
  expect(limit.waitSeconds('a', 10)).toBe(5);
  expect(limit.waitSeconds('b', 10)).toBe(0);
});

test('a clock that was a day ahead makes nobody wait for a day', () => {
  const clock = virtualClock(start + 86_400_000);
  const limit = new AccountLimit({ rate, clock });
  limit.take('a', 1);
  clock.set(start);
  expect(limit.waitSeconds('a', 10)).toBe(5);
});

test('memory is bounded: the account that was charged longest ago is forgotten', () => {
  const limit = new AccountLimit({ rate, clock: virtualClock(start), accountsMax: 2 });
  for (const account of ['a', 'b', 'a', 'c']) limit.charge(account, 5);
  expect(['a', 'b', 'c'].map((account) => limit.waitSeconds(account, 10))).toEqual([5, 0, 3]);
});

test('an account that comes back when told to is let in; no span takes more than burst and refill', () => {
  const step = fc.record({ pauseMs: fc.nat(3000), cost: fc.integer({ min: 1, max: 10 }) });
  const anyRate = fc.record({
    burst: fc.integer({ min: 10, max: 50 }),
    refillPerSecond: fc.integer({ min: 1, max: 30 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50 }), anyRate, (steps, some) => {
      const clock = virtualClock(start);
      const limit = new AccountLimit({ rate: some, clock });
      let taken = 0;
      for (const { pauseMs, cost } of steps) {
        clock.advance(pauseMs);
        const wait = limit.take('a', cost);
        clock.advance(wait * 1000);
        if (wait > 0) expect(limit.take('a', cost)).toBe(0);
        taken += cost;
        expect(taken).toBeLessThanOrEqual(some.burst + (some.refillPerSecond * (clock() - start)) / 1000 + 1e-6);
      }
    }),
  );
});
