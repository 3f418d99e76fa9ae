import type { BookingAccepted, BookingList, BookingRequest, BookingStatus } from './booking.ts';
import { type ProblemExtras, type ProblemPage, problemPage } from './problem.ts';
import type { ProblemName } from './problem-list.ts';
import type { Quota } from './quota.ts';

const bookingId = 'bk_p5vkb3x2l4rjq7yd6tq3mzn2a4buitkhuoa';
const acceptedAt = '2026-11-29T09:30:00.000Z';
const window = {
  date: '2026-11-29',
  timezone: 'Europe/Berlin',
  startsAt: '2026-11-28T23:00:00.000Z',
  resetsAt: '2026-11-29T23:00:00.000Z',
};

/** Examples of bodies, for the OpenAPI document. A test holds them to their schemas. */
export const examples = {
  BookingRequest: {
    mode: 'partial',
    reservations: [{ id: 'A-17', cost: 2, details: { flight: 'LH 400' } }, { id: 'A-18', cost: 4 }, { id: 'A-19' }],
  } satisfies BookingRequest,
  BookingAccepted: { bookingId, acceptedAt, window, reservations: 3, chunks: 1 } satisfies BookingAccepted,
  BookingStatus: {
    bookingId,
    accountId: 'acme',
    acceptedAt,
    mode: 'partial',
    window,
    status: 'decided',
    counts: { total: 3, granted: 2, rejected: 1, pending: 0 },
    reservations: [
      { id: 'A-17', decision: 'granted', cost: 2, dispatchAt: '2026-11-29T09:30:01.250Z' },
      { id: 'A-18', decision: 'rejected', cost: 4, reason: 'daily_quota_exceeded' },
      { id: 'A-19', decision: 'granted', cost: 1, dispatchAt: '2026-11-29T09:30:01.350Z' },
    ],
  } satisfies BookingStatus,
  BookingList: {
    bookings: [{ bookingId, acceptedAt, date: window.date, total: 3, status: 'decided', granted: 2, rejected: 1 }],
  } satisfies BookingList,
  Quota: {
    accountId: 'acme',
    window,
    limit: 1000,
    used: 963,
    remaining: 37,
    rejected: 4,
    policy: {
      dailyLimit: 1000,
      refillPerSecond: 10,
      burst: 20,
      timezone: 'Europe/Berlin',
      mode: 'enforce',
      thresholds: [0.8, 1],
    },
  } satisfies Quota,
  Health: { status: 'ok' },
  ProblemPage: problemPage('booking-busy') satisfies ProblemPage,
} as const;

/** The fields of the examples of some problems, beside their sentence. */
export const problemExtras: Partial<Record<ProblemName, ProblemExtras>> = {
  'invalid-query': { errors: [{ parameter: 'cursor', detail: 'may be given once' }], errorCount: 1 },
  'invalid-body': {
    errors: [{ pointer: '/reservations/0/cost', detail: 'must be a whole number from 1 to 10000' }],
    errorCount: 1,
  },
  'idempotency-key-reused': { booking: { bookingId, acceptedAt } },
};
