import type { UsherEvent } from '@usher/contracts';
import { describe, expect, test } from 'vitest';
import type { DecidedBooking } from '../run/decisions.ts';
import type { ReceivedDispatch } from '../run/dispatches.ts';
import type { Evidence } from '../run/evidence.ts';
import { alphaBooking, at, balancedEvidence } from '../testing/evidence.ts';
import { differences } from './books.ts';

const differencesWith = (changes: Partial<Evidence>): string[] => differences({ ...balancedEvidence, ...changes });

/** The evidence's bookings with alpha's decisions changed. */
const decidedAs = (change: (alpha: DecidedBooking) => DecidedBooking['decisions']): Partial<Evidence> => ({
  bookings: balancedEvidence.bookings.map((booking) =>
    booking.accountId === 'alpha' ? { ...booking, decisions: change(booking) } : booking,
  ),
});

/** The evidence's events with alpha's event of one kind replaced. */
const published = (
  detailType: UsherEvent['detailType'],
  by: (event: UsherEvent) => UsherEvent[],
): Partial<Evidence> => ({
  events: balancedEvidence.events.flatMap((event) =>
    event.detailType === detailType && JSON.stringify(event).includes('"alpha"') ? by(event) : [event],
  ),
});

const [first, second, third] = balancedEvidence.dispatches;

/** The evidence's dispatches with the first, alpha's r1, replaced. */
function dispatched(...instead: (Partial<ReceivedDispatch> | undefined)[]): Partial<Evidence> {
  const dispatches = [...instead, second, third].flatMap((change) =>
    first && change ? [{ ...first, ...change }] : [],
  );
  return { dispatches };
}

describe('the books', () => {
  test('balance where everything tells the same', () => {
    expect(differences(balancedEvidence)).toEqual([]);
  });

  test('balance where nothing happened', () => {
    expect(differences({ bookings: [], counters: new Map(), ledger: [], events: [], dispatches: [] })).toEqual([]);
  });

  test('show a counter that counted too much, too little or not at all', () => {
    const beta = ['beta', { used: 9, rejected: 0 }] as const;
    expect(differencesWith({ counters: new Map([['alpha', { used: 4, rejected: 5 }], beta]) })).toEqual([
      'alpha: granted cost on the counter: 4, not 3',
    ]);
    expect(differencesWith({ counters: new Map([['alpha', { used: 3, rejected: 0 }], beta]) })).toEqual([
      'alpha: rejected cost on the counter: 0, not 5',
    ]);
    expect(differencesWith({ counters: new Map([beta]) })).toEqual([
      'alpha: granted cost on the counter: 0, not 3',
      'alpha: rejected cost on the counter: 0, not 5',
    ]);
  });

  test('show a counter of an account that submitted nothing', () => {
    const counters = new Map([...balancedEvidence.counters, ['gamma', { used: 1, rejected: 0 }]]);
    expect(differencesWith({ counters })).toEqual(['gamma: granted cost on the counter: 1, not 0']);
  });

  test('show a ledger entry that is missing, doubled or without its rows', () => {
    const [alpha, beta] = balancedEvidence.ledger;
    const ledger = [alpha, beta].flatMap((entry) => (entry ? [entry] : []));
    expect(differencesWith({ ledger: ledger.slice(1) })).toEqual([
      'alpha: granted in the ledger: 0, not 2',
      'alpha: grantedCost in the ledger: 0, not 3',
      'alpha: rejected in the ledger: 0, not 1',
      'alpha: rejectedCost in the ledger: 0, not 5',
    ]);
    expect(differencesWith({ ledger: [...ledger, ...ledger.slice(1)] })).toEqual([
      'beta: granted in the ledger: 2, not 1',
      'beta: grantedCost in the ledger: 18, not 9',
    ]);
    const withoutRows = ledger.map(({ rows: _, ...entry }) => entry);
    expect(differencesWith({ ledger: withoutRows })).toContain('beta: granted in the ledger: 0, not 1');
  });

  test('show a ledger row at another cost or with another decision', () => {
    const ledger = (change: (entry: Evidence['ledger'][number]) => Evidence['ledger'][number]) =>
      balancedEvidence.ledger.map((entry) => (entry.accountId === 'alpha' ? change(entry) : entry));
    const costs = ledger((entry) => ({
      ...entry,
      rows: entry.rows?.map((row) => (row.id === 'r3' ? { ...row, cost: 2 } : row)) ?? [],
    }));
    expect(differencesWith({ ledger: costs })).toEqual(['alpha: grantedCost in the ledger: 4, not 3']);
    const reasons = ledger((entry) => ({ ...entry, outcome: { ...entry.outcome, reasons: [null, null, null] } }));
    expect(differencesWith({ ledger: reasons })).toContain('alpha: rejected in the ledger: 0, not 1');
  });

  test('show a usage event that is missing or tells another figure', () => {
    expect(differencesWith(published('Quota Usage Recorded', () => []))).toEqual([
      'alpha: granted in the usage events: 0, not 2',
      'alpha: grantedCost in the usage events: 0, not 3',
      'alpha: rejected in the usage events: 0, not 1',
      'alpha: rejectedCost in the usage events: 0, not 5',
    ]);
    const other = published('Quota Usage Recorded', (event) => {
      const changed = structuredClone(event);
      if (changed.detailType === 'Quota Usage Recorded') changed.detail.data.granted.cost = 4;
      return [changed];
    });
    expect(differencesWith(other)).toEqual(['alpha: grantedCost in the usage events: 4, not 3']);
  });

  test('show a rejection that is not published, or published twice or at another cost', () => {
    const what = 'alpha: rows in rejection events:';
    expect(differencesWith(published('Reservations Rejected', () => []))).toEqual([
      `${what} r2 0 times instead of 1, not as decided`,
    ]);
    expect(differencesWith(published('Reservations Rejected', (event) => [event, event]))).toEqual([
      `${what} r2 2 times instead of 1, not as decided`,
    ]);
    const other = published('Reservations Rejected', (event) => {
      const changed = structuredClone(event);
      if (changed.detailType === 'Reservations Rejected') {
        for (const row of changed.detail.data.reservations) row.cost = 4;
      }
      return [changed];
    });
    expect(differencesWith(other)).toEqual([
      `${what} r2 0 times instead of 1, not as decided`,
      `rejected but in no booking (account, booking, row, cost): alpha ${alphaBooking} r2 4`,
    ]);
  });

  test('show a granted row that is published as rejected', () => {
    const granted = published('Reservations Rejected', (event) => {
      const changed = structuredClone(event);
      if (changed.detailType === 'Reservations Rejected') {
        changed.detail.data.reservations.push({ id: 'r1', cost: 2, reason: 'daily_quota_exceeded' });
      }
      return [changed];
    });
    expect(differencesWith(granted)).toEqual([
      'alpha: rows in rejection events: r1 1 times instead of 0, not as decided',
    ]);
  });

  test('show a granted row that is not handed on, or twice', () => {
    expect(differencesWith(dispatched())).toEqual(['alpha: rows dispatched: r1 0 times instead of 1, not as decided']);
    expect(differencesWith(dispatched({}, { dispatchId: `${alphaBooking}#0#9` }))).toEqual([
      'alpha: rows dispatched: r1 2 times instead of 1, not as decided',
    ]);
  });

  test('show a rejected row that is handed on', () => {
    const both = [
      { id: 'r1', cost: 2 },
      { id: 'r2', cost: 5 },
    ];
    expect(differencesWith(dispatched({ reservations: both }))).toEqual([
      'alpha: rows dispatched: r2 1 times instead of 0, not as decided',
    ]);
  });

  test.each([
    ['at another cost', { reservations: [{ id: 'r1', cost: 3 }] }, `alpha ${alphaBooking} r1 3`],
    ['for another account', { accountId: 'beta' }, `beta ${alphaBooking} r1 2`],
    ['that nobody submitted', { reservations: [{ id: 'x', cost: 1 }] }, `alpha ${alphaBooking} x 1`],
  ])('show a row handed on %s', (_, change, stranger) => {
    expect(differencesWith(dispatched(change))).toEqual([
      'alpha: rows dispatched: r1 0 times instead of 1, not as decided',
      `dispatched but in no booking (account, booking, row, cost): ${stranger}`,
    ]);
  });

  test('show a decision that was changed', () => {
    const changed = decidedAs(({ decisions }) =>
      decisions.map((row) =>
        row.id === 'r2' ? { id: row.id, decision: 'granted', cost: row.cost, dispatchAt: at(0) } : row,
      ),
    );
    expect(differencesWith(changed)).toEqual([
      'alpha: granted cost on the counter: 3, not 8',
      'alpha: rejected cost on the counter: 5, not 0',
      ...['ledger', 'usage events'].flatMap((source) => [
        `alpha: granted in the ${source}: 2, not 3`,
        `alpha: grantedCost in the ${source}: 3, not 8`,
        `alpha: rejected in the ${source}: 1, not 0`,
        `alpha: rejectedCost in the ${source}: 5, not 0`,
      ]),
      'alpha: rows in rejection events: r2 1 times instead of 0, not as decided',
      'alpha: rows dispatched: r2 0 times instead of 1, not as decided',
    ]);
  });

  test('show a row that was never decided, in another place or at another cost', () => {
    const what = 'alpha: rows decided of those submitted:';
    expect(differencesWith(decidedAs(({ decisions }) => decisions.slice(0, 2)))).toContain(`${what} 2, not 3`);
    expect(differencesWith(decidedAs(({ decisions }) => decisions.toReversed()))).toContain(`${what} 1, not 3`);
    expect(differencesWith(decidedAs(({ decisions }) => decisions.map((row) => ({ ...row, cost: 1 }))))).toContain(
      `${what} 1, not 3`,
    );
    expect(differencesWith(decidedAs(({ decisions }) => [...decisions, ...decisions.slice(0, 1)]))).toContain(
      `${what} 2, not 3`,
    );
  });

  test('list the first rows of many', () => {
    const reservations = Array.from({ length: 7 }, (_, i) => ({ id: `x${i}`, cost: 1 }));
    expect(differencesWith(dispatched({}, { reservations })).join()).toMatch(/x0 1, .*x4 1 and 2 more$/);
  });
});
