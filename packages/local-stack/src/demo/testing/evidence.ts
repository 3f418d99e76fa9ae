import { eventIds, type UsherEvent } from '@usher/contracts';
import type { Outcome } from '@usher/limiter-core/bulk';
import type { DecidedBooking } from '../run/decisions.ts';
import type { Evidence } from '../run/evidence.ts';

export const noon = Date.parse('2026-11-29T12:00:00.000Z');
export const at = (offsetMs: number): string => new Date(noon + offsetMs).toISOString();

const window = {
  date: '2026-11-29',
  timezone: 'UTC',
  startsAt: '2026-11-29T00:00:00.000Z',
  resetsAt: '2026-11-30T00:00:00.000Z',
};
export const alphaBooking = `bk_${'a'.repeat(35)}`;
export const betaBooking = `bk_${'b'.repeat(35)}`;

const outcome: Outcome = {
  digest: '0'.repeat(32),
  date: window.date,
  reasons: [],
  usedBefore: 0,
  grantedCost: 0,
  rejectedCost: 0,
  limit: 4,
  limitBefore: null,
  debtMicros: 0,
  refillPerSecond: 10,
  burst: 2,
  policyMode: 'enforce',
  thresholds: [0.8, 1],
  settledAtMs: noon,
};

const bookings: readonly DecidedBooking[] = [
  {
    accountId: 'alpha',
    idempotencyKey: 'a-1',
    bookingId: alphaBooking,
    acceptedAt: at(-250),
    resetsAt: window.resetsAt,
    reservations: [
      { id: 'r1', cost: 2 },
      { id: 'r2', cost: 5 },
      { id: 'r3', cost: 1 },
    ],
    decisions: [
      { id: 'r1', decision: 'granted', cost: 2, dispatchAt: at(0) },
      { id: 'r2', decision: 'rejected', cost: 5, reason: 'exceeds_limit' },
      { id: 'r3', decision: 'granted', cost: 1, dispatchAt: at(100) },
    ],
  },
  {
    accountId: 'beta',
    idempotencyKey: 'b-1',
    bookingId: betaBooking,
    acceptedAt: at(-250),
    resetsAt: window.resetsAt,
    reservations: [{ id: 'r1', cost: 9 }],
    decisions: [{ id: 'r1', decision: 'granted', cost: 9, dispatchAt: at(0) }],
  },
];

interface Costs {
  readonly granted: readonly number[];
  readonly rejected?: readonly number[];
  /** Of rows that only observe mode granted; they are among the granted ones. */
  readonly observed?: readonly number[];
}

function usage(accountId: string, bookingId: string, costs: Costs): UsherEvent {
  const amount = (of: readonly number[]) => ({ count: of.length, cost: of.reduce((total, cost) => total + cost, 0) });
  const refused = (of: readonly number[]) => ({
    ...amount(of),
    byReason: of.length === 0 ? {} : { exceeds_limit: amount(of) },
  });
  const { granted, rejected = [], observed } = costs;
  return {
    detailType: 'Quota Usage Recorded',
    detail: {
      metadata: metadata(eventIds.usage({ bookingId, chunkIndex: 0 }), bookingId),
      data: {
        accountId,
        bookingId,
        chunk: 0,
        acceptedAt: at(0),
        decidedAt: at(0),
        window,
        limit: 4,
        used: amount(granted).cost,
        mode: modeOf(accountId),
        granted: amount(granted),
        rejected: refused(rejected),
        ...(observed === undefined ? {} : { observed: refused(observed) }),
      },
    },
  };
}

function rejection(accountId: string, bookingId: string, row: { id: string; cost: number }): UsherEvent {
  return {
    detailType: 'Reservations Rejected',
    detail: {
      metadata: metadata(eventIds.rejected({ bookingId, chunkIndex: 0, part: 0 }), bookingId),
      data: {
        accountId,
        bookingId,
        chunk: 0,
        window,
        limit: 4,
        used: 0,
        mode: modeOf(accountId),
        reservations: [{ ...row, reason: 'exceeds_limit' }],
      },
    },
  };
}

function modeOf(accountId: string): 'enforce' | 'observe' {
  return accountId === 'beta' ? 'observe' : 'enforce';
}

function metadata(id: string, correlationId: string) {
  return { id, occurredAt: at(0), schemaVersion: 1, correlationId } as const;
}

/**
 * The evidence of a run of two accounts: alpha, enforced, with two rows granted and one rejected; beta, observed,
 * with a row that would have been rejected.
 */
export const balancedEvidence: Evidence = {
  bookings,
  counters: new Map([
    ['alpha', { used: 3, rejected: 5 }],
    ['beta', { used: 9, rejected: 0 }],
  ]),
  ledger: [
    {
      bookingId: alphaBooking,
      chunkIndex: 0,
      accountId: 'alpha',
      outcome: { ...outcome, reasons: [null, 'exceeds_limit', null], grantedCost: 3, rejectedCost: 5 },
      rows: [
        { id: 'r1', cost: 2 },
        { id: 'r2', cost: 5 },
        { id: 'r3', cost: 1 },
      ],
    },
    {
      bookingId: betaBooking,
      chunkIndex: 0,
      accountId: 'beta',
      outcome: { ...outcome, policyMode: 'observe', reasons: ['exceeds_limit'], grantedCost: 9 },
      rows: [{ id: 'r1', cost: 9 }],
    },
  ],
  events: [
    usage('alpha', alphaBooking, { granted: [2, 1], rejected: [5] }),
    rejection('alpha', alphaBooking, { id: 'r2', cost: 5 }),
    usage('beta', betaBooking, { granted: [9], observed: [9] }),
    rejection('beta', betaBooking, { id: 'r1', cost: 9 }),
  ],
  dispatches: [
    {
      v: 1,
      dispatchId: `${alphaBooking}#0#0`,
      bookingId: alphaBooking,
      accountId: 'alpha',
      dispatchAt: at(0),
      receivedAtMs: noon,
      reservations: [{ id: 'r1', cost: 2 }],
    },
    {
      v: 1,
      dispatchId: `${alphaBooking}#0#1`,
      bookingId: alphaBooking,
      accountId: 'alpha',
      dispatchAt: at(100),
      receivedAtMs: noon + 1000,
      reservations: [{ id: 'r3', cost: 1 }],
    },
    {
      v: 1,
      dispatchId: `${betaBooking}#0#0`,
      bookingId: betaBooking,
      accountId: 'beta',
      dispatchAt: at(0),
      receivedAtMs: noon + 5,
      reservations: [{ id: 'r1', cost: 9 }],
    },
  ],
};
