import { expect, test } from 'vitest';
import { settingsOf } from './limiter-settings.ts';
import { copiesOf, lend, type OwnedStates, own, write } from './owned-states.ts';
import { isLasting, lasting } from './policies.ts';
import type { Policy } from './store.ts';
import { tokenBucket } from './strategies/bucket.ts';
import { slidingWindow } from './strategies/sliding-window.ts';
import type { State, Strategy } from './strategies/strategy.ts';
import { fixedWindow } from './strategies/window.ts';

const start = 1_764_504_000_000;
const bucket = tokenBucket({ capacity: 10, refillPerSecond: 5 });
const window = fixedWindow({ limit: 10, windowMs: 1000 });
const sliding = slidingWindow({ limit: 10, windowMs: 1000 });

function policiesOf(strategies: Record<string, Strategy>): Policy[] {
  return Object.entries(strategies).map(([name, strategy]) => ({ name, strategy }));
}

function taken(strategy: Strategy, nowMs: number, cost: number): State {
  return strategy.take(strategy.current(undefined, nowMs) as never, nowMs, cost);
}

/** Every number of the second state differs from the first one's. */
const changes: readonly (readonly [name: string, from: State, to: State])[] = [
  [
    'a bucket',
    taken(bucket, start, 1),
    { ...taken(tokenBucket({ capacity: 10, refillPerSecond: 7 }), start + 5, 2), given: 3 } as State,
  ],
  ['a window', taken(window, start, 1), taken(fixedWindow({ limit: 5, windowMs: 3000 }), start + 5000, 2)],
  [
    'a sliding window',
    taken(sliding, start, 1),
    { ...taken(slidingWindow({ limit: 5, windowMs: 3000 }), start + 5000, 2), previous: 3 } as State,
  ],
  ['a rule of another kind', taken(bucket, start, 1), taken(window, start, 2)],
];

test.each(changes)('%s is written whole, and the one that was written stays as it was', (_name, from, to) => {
  const policies = policiesOf({ a: bucket });
  const owned = own(policies, [from], undefined);
  const copies = structuredClone([from, to]);
  write(owned, policies, [to]);
  expect(lend(owned, policies)).toEqual([to]);
  write(owned, policies, [from]);
  expect(lend(owned, policies)).toEqual([from]);
  write(owned, policies, [to]);
  expect([from, to]).toEqual(copies);
});

test('what is written in place is the same object; a copy is another one', () => {
  const policies = policiesOf({ a: window });
  const owned = own(policies, [taken(window, start, 1)], undefined);
  const [mine] = lend(owned, policies);
  const [copy] = copiesOf(lend(owned, policies));
  write(owned, policies, [taken(window, start, 5)]);
  expect(lend(owned, policies)[0]).toBe(mine);
  expect(mine).toMatchObject({ used: 5 });
  expect(copy).toMatchObject({ used: 1 });
});

test('a state of another kind is kept as a copy', () => {
  const policies = policiesOf({ a: window });
  const owned = own(policies, [taken(bucket, start, 1)], undefined);
  const counted = taken(window, start, 1);
  write(owned, policies, [counted]);
  write(owned, policies, [taken(window, start, 5)]);
  expect(counted).toMatchObject({ used: 1 });
});

test('states are lent by the names that are asked for, one for each', () => {
  const [one, other] = [taken(window, start, 1), taken(window, start, 2)];
  const owned = own(policiesOf({ a: window, b: window }), [one, other], undefined);
  expect(lend(owned, policiesOf({ a: window }))).toEqual([one]);
  expect(lend(owned, policiesOf({ b: window, a: window }))).toEqual([other, one]);
  expect(lend(owned, policiesOf({ c: window, a: window }))).toEqual([undefined, one]);
});

test('states of policies that are not asked for stay, once each', () => {
  const both = policiesOf({ a: window, b: window });
  const owned = own(both, [taken(window, start, 1), taken(window, start, 2)], undefined);
  for (const strategies of [{ b: window }, { b: window, a: window }, { c: window }]) {
    const policies = policiesOf(strategies);
    write(
      owned,
      policies,
      policies.map(() => taken(window, start, 7)),
    );
  }
  expect(owned.policies.map(({ name }) => name)).toEqual(['c', 'b', 'a']);
  expect(owned.states).toHaveLength(3);
});

test('keys of policies of the same names share one list', () => {
  const both = policiesOf({ a: window, b: window });
  const first: OwnedStates = own(both, [undefined, undefined], undefined);
  expect(own(policiesOf({ a: window, b: window }), [undefined, undefined], first).policies).toBe(first.policies);
  const one = lasting(policiesOf({ a: window }));
  expect(own(one, [undefined], first).policies).toBe(one);
});

test('of a list that need not last, or of several, a key keeps the names alone', () => {
  const made = policiesOf({ a: window });
  const owned = own(made, [taken(window, start, 1)], undefined);
  expect(owned.policies).toEqual([{ name: 'a' }]);
  made.splice(0, 1, { name: 'b', strategy: window });
  expect(lend(owned, made)).toEqual([undefined]);
  write(owned, lasting(policiesOf({ c: window })), [taken(window, start, 1)]);
  expect(owned.policies).toEqual([{ name: 'c' }, { name: 'a' }]);
});

test('the list of a limiter without plans lasts; one that is made for a check does not', () => {
  expect(isLasting(settingsOf({ strategy: window }).policiesFor(undefined))).toBe(true);
  expect(isLasting(settingsOf({ strategy: () => ({ a: window }) }).policiesFor('plan'))).toBe(false);
});
