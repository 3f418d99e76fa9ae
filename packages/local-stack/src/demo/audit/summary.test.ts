import { readPolicyFile } from '@usher/limiter-core/bulk';
import { describe, expect, test } from 'vitest';
import type { Evidence } from '../run/evidence.ts';
import { alphaBooking, at, balancedEvidence, noon } from '../testing/evidence.ts';
import { summarise } from './summary.ts';

const policies = readPolicyFile({
  default: { dailyLimit: 4, burst: 2 },
  accounts: { beta: { mode: 'observe', burst: 30, refillPerSecond: 1 } },
});

const [booking] = balancedEvidence.bookings;
if (booking === undefined) throw new Error('There is no booking.');

const withDispatch = (index: number, change: Partial<Evidence['dispatches'][number]>): Evidence => ({
  ...balancedEvidence,
  dispatches: balancedEvidence.dispatches.map((dispatch, i) => (i === index ? { ...dispatch, ...change } : dispatch)),
});

describe('the summary', () => {
  test('tells every account by its own policy, the one with most rows first', () => {
    const { accounts } = summarise({ ...balancedEvidence, bookings: balancedEvidence.bookings.toReversed() }, policies);
    expect(accounts).toEqual([
      {
        accountId: 'alpha',
        limit: 4,
        used: 3,
        granted: 2,
        grantedCost: 3,
        rejected: 1,
        rejectedCost: 5,
        wouldReject: 0,
        wouldRejectCost: 0,
        resetsAt: '2026-11-30T00:00:00.000Z',
        pacedSeconds: 0.1,
        dues: [
          { atMs: noon, cost: 2 },
          { atMs: noon + 100, cost: 1 },
        ],
        burst: 2,
        refillPerSecond: 10,
        mode: 'enforce',
      },
      {
        accountId: 'beta',
        limit: 4,
        used: 9,
        granted: 1,
        grantedCost: 9,
        rejected: 0,
        rejectedCost: 0,
        wouldReject: 1,
        wouldRejectCost: 9,
        resetsAt: '2026-11-30T00:00:00.000Z',
        pacedSeconds: 0,
        dues: [{ atMs: noon, cost: 9 }],
        burst: 30,
        refillPerSecond: 1,
        mode: 'observe',
      },
    ]);
  });

  test('orders accounts by rows, then by cost, then by id, whichever was submitted first', () => {
    const like = (accountId: string, cost: number): Evidence['bookings'][number] => ({
      ...booking,
      accountId,
      decisions: [{ id: 'r1', decision: 'granted', cost, dispatchAt: at(0) }],
    });
    const bookings = [like('d', 1), like('b', 1), like('c', 2), like('a', 1), ...balancedEvidence.bookings];
    for (const submitted of [bookings, bookings.toReversed()]) {
      const { accounts } = summarise({ ...balancedEvidence, bookings: submitted }, policies);
      expect(accounts.map(({ accountId }) => accountId)).toEqual(['alpha', 'beta', 'c', 'a', 'b', 'd']);
    }
  });

  test('counts events by kind, dispatches by message and row, and balances', () => {
    expect(summarise(balancedEvidence, policies)).toMatchObject({
      events: { 'Quota Usage Recorded': 2, 'Reservations Rejected': 2 },
      dispatch: { messages: 3, rows: 3, conforms: true, differences: [] },
      balanced: true,
      differences: [],
    });
  });

  test('keeps what does not balance apart from what was not paced', () => {
    const unbalanced = summarise({ ...balancedEvidence, ledger: [] }, policies);
    expect(unbalanced).toMatchObject({ balanced: false, dispatch: { conforms: true } });
    expect(unbalanced.differences).toContain('beta: granted in the ledger: 0, not 1');
    const unpaced = summarise(withDispatch(0, { receivedAtMs: noon - 7 }), policies);
    expect(unpaced).toMatchObject({ balanced: true, differences: [] });
    expect(unpaced.dispatch).toMatchObject({
      conforms: false,
      differences: [`${alphaBooking}#0#0: handed out 7 ms early`],
    });
  });

  test('finds an account whose schedule passes its policy', () => {
    const slower = readPolicyFile({ default: { dailyLimit: 4, burst: 2, refillPerSecond: 9 } });
    expect(summarise(balancedEvidence, slower).dispatch).toMatchObject({
      conforms: false,
      differences: ['alpha: its schedule passes burst + refill × time'],
    });
  });

  test.each([
    ['a row that is due later', at(-1)],
    ['a row that is due a second before', at(1100)],
  ])('finds a message with %s', (_, dispatchAt) => {
    expect(
      summarise(withDispatch(1, { dispatchAt, receivedAtMs: noon + 5000 }), policies).dispatch.differences,
    ).toEqual([`${alphaBooking}#0#1: holds rows of another second`]);
  });
});
