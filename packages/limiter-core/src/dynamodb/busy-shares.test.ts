import { expect, test } from 'vitest';
import { tokenBucket } from '../limiter/strategies/bucket.ts';
import { fixedWindow } from '../limiter/strategies/window.ts';
import { attributes } from './attributes.ts';
import { BusyShares } from './busy-shares.ts';
import { StoredItem } from './stored-item.ts';

const strategy = tokenBucket({ capacity: 10, refillPerSecond: 1 });
const policies = [{ name: 'burst', strategy }];
const nowMs = 1_000_000;

/** An item whose bucket is full again at an instant, and has not been full since another. */
function itemOf({ fullAtMs, sinceMs }: { readonly fullAtMs: number; readonly sinceMs: number }): StoredItem {
  return new StoredItem('key', {
    [attributes.tat('burst')]: { N: String(fullAtMs * strategy.ticksPerMs) },
    [attributes.rate('burst')]: { S: `${strategy.ticksPerMs}/${strategy.ticksPerCost}` },
    [attributes.since('burst')]: { N: String(sinceMs) },
    [attributes.given('burst')]: { N: '0' },
  });
}

const last = itemOf({ fullAtMs: nowMs - 100, sinceMs: nowMs - 1_000 });
const busy = itemOf({ fullAtMs: nowMs + 500, sinceMs: nowMs - 50 });
const refusedForBusy = { last, updated: { isDone: false, item: busy }, nowMs };
const takenAsBusy = { last, updated: { isDone: true, item: busy }, nowMs };
const takenAsIdle = { last, updated: { isDone: true, item: itemOf({ fullAtMs: nowMs + 500, sinceMs: nowMs }) }, nowMs };
const refusedForIdle = { last, updated: { isDone: false, item: last }, nowMs };

test.each([
  ['a guess of idle that failed', refusedForBusy],
  ['a guess of busy that held', takenAsBusy],
])('a bucket that others made busy three times is likely busy: %s', (_, seen) => {
  const shares = new BusyShares(10);
  for (let times = 1; times <= 3; times++) {
    expect(shares.isLikelyBusy('key', 'burst')).toBe(false);
    shares.learn('key', policies, seen);
  }
  expect(shares.isLikelyBusy('key', 'burst')).toBe(true);
  expect(shares.isLikelyBusy('key', 'other')).toBe(false);
  expect(shares.isLikelyBusy('other', 'burst')).toBe(false);
});

test.each([
  ['a guess of idle that held', takenAsIdle],
  ['a guess of busy that failed', refusedForIdle],
])('once it is idle again for a while, it is so no more: %s', (_, seen) => {
  const shares = new BusyShares(10);
  for (let times = 0; times < 50; times++) shares.learn('key', policies, refusedForBusy);
  for (let times = 0; times < 16; times++) shares.learn('key', policies, seen);
  expect(shares.isLikelyBusy('key', 'burst')).toBe(false);
});

test('what was last seen busy, or never seen, and other strategies teach nothing', () => {
  const shares = new BusyShares(10);
  const window = [{ name: 'burst', strategy: fixedWindow({ limit: 1, windowMs: 1_000 }) }];
  for (let times = 0; times < 10; times++) {
    shares.learn('key', policies, { ...refusedForBusy, last: busy });
    shares.learn('key', policies, { ...refusedForBusy, last: new StoredItem('key') });
    shares.learn('key', window, refusedForBusy);
  }
  expect(shares.isLikelyBusy('key', 'burst')).toBe(false);
});
