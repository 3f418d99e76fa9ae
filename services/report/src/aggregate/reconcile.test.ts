import { expect, test } from 'vitest';
import { noFigures } from '../model/figures.ts';
import { reconcile } from './reconcile.ts';

const events = { ...noFigures(), grantedCost: 10, rejectedCost: 3, wouldRejectCost: 1 };
const counter = { used: 10, rejected: 3, over: 1, limit: 20 };
const entry = { bookingId: 'a', chunkIndex: 0, grantedCost: 10, rejectedCost: 3, overCost: 1 };
const facts = { counter, counterAfter: counter, ledger: [entry] };

test('counter, events and ledger that say the same agree', () => {
  expect(reconcile(facts, events)).toEqual({ state: 'agrees', differences: [] });
});

test('a chunk that stands twice in the ledger is one', () => {
  expect(reconcile({ ...facts, ledger: [entry, entry] }, events).state).toBe('agrees');
});

test('a missing event is drift, told with what each source has', () => {
  expect(reconcile(facts, { ...events, grantedCost: 6 })).toEqual({
    state: 'drift',
    differences: [{ figure: 'granted', counter: 10, events: 6, ledger: 10 }],
  });
});

test.each([
  ['counter', { ...facts, counter: { ...counter, over: 2 }, counterAfter: { ...counter, over: 2 } }, 'wouldReject'],
  ['ledger', { ...facts, ledger: [{ ...entry, rejectedCost: 4 }] }, 'rejected'],
])('a %s that alone says another is drift', (_, told, figure) => {
  const { state, differences } = reconcile(told, events);
  expect([state, differences.map((one) => one.figure)]).toEqual(['drift', [figure]]);
});

test('where the counter moved nothing is compared', () => {
  const moved = { ...facts, counterAfter: { ...counter, used: 11 }, ledger: [] };
  expect(reconcile(moved, events)).toEqual({ state: 'moved', differences: [] });
  expect(reconcile({ ...facts, counterAfter: { ...counter, rejected: 4 } }, events).state).toBe('moved');
});

test('what was not read is left out of the comparison', () => {
  expect(reconcile({ ...facts, ledger: undefined }, events).state).toBe('agrees');
  expect(reconcile({ ledger: [], counter: undefined, counterAfter: undefined }, events)).toEqual({
    state: 'drift',
    differences: [
      { figure: 'granted', counter: null, events: 10, ledger: 0 },
      { figure: 'rejected', counter: null, events: 3, ledger: 0 },
      { figure: 'wouldReject', counter: null, events: 1, ledger: 0 },
    ],
  });
  expect(reconcile({ ledger: undefined, counter: undefined, counterAfter: undefined }, events).state).toBe('unknown');
});
