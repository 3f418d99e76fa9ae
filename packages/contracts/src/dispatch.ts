import { maxBacklogMs } from '@usher/limiter-core/bulk';
import { type } from 'arktype';
import { Reservation, ReservationId } from './booking.ts';
import { chunkMaxRows } from './chunk.ts';
import { Details } from './details.ts';
import { AccountId, BookingId, ChunkIndex, Cost, Instant } from './fields.ts';

/** The id of a dispatch: booking, chunk, and the slot of its rows, a whole second counted from settledAt. */
export const DispatchId = type(/^bk_[a-z2-7]{35}#\d{1,5}#\d{1,10}$/).describe('<bookingId>#<chunk>#<slot>');

/** Granted rows handed to the booking system: one message on the dispatch queue. A repeated id is a repeat. */
export const Dispatch = type({
  '+': 'reject',
  v: '1',
  dispatchId: DispatchId,
  bookingId: BookingId,
  accountId: AccountId,
  /** The instant at which the last of the rows is due, and with it the message. It is delivered no earlier. */
  dispatchAt: Instant,
  reservations: Reservation.array().atLeastLength(1).atMostLength(chunkMaxRows),
});
export type Dispatch = typeof Dispatch.infer;

/** One granted row that still waits for its time. */
export const PacedReservation = type({
  '+': 'reject',
  id: ReservationId,
  cost: Cost,
  dispatchAt: Instant,
  'details?': Details,
});
export type PacedReservation = typeof PacedReservation.infer;

/** The token of a put-back: made at random, and equal in all that a retry of its sending may leave on the queue. */
export const Copy = type(/^[A-Za-z0-9_.-]{1,64}$/).describe('the token of a put-back, 1 to 64 characters');

/**
 * Granted rows due later than SQS can delay: one message on the pacing queue. It carries the instant that slots are
 * counted from and the rate at which overdue rows may go, so that the pacer needs no other source for them. Of the
 * messages of one hop, only those of one copy are passed on.
 */
export const Pacing = type({
  '+': 'reject',
  v: '1',
  bookingId: BookingId,
  chunk: ChunkIndex,
  accountId: AccountId,
  settledAt: Instant,
  refillPerSecond: '0.1 <= number <= 1000000',
  burst: '1 <= number.integer <= 1000000000',
  /** The stays on the pacing queue before this one: 0 in the worker's message, one more each time it is put back. */
  hop: '0 <= number.integer <= 1000000000',
  copy: Copy,
  reservations: PacedReservation.array().atLeastLength(1).atMostLength(chunkMaxRows),
}).narrow((message, ctx) => {
  const settledAtMs = Date.parse(message.settledAt);
  const waitsMs = message.reservations.map(({ dispatchAt }) => Date.parse(dispatchAt) - settledAtMs);
  // No decision grants what waits longer; due at an instant that never comes, a message would hop for ever.
  const wrong = waitsMs.findIndex((waitMs) => waitMs < 0 || waitMs > maxBacklogMs);
  const relativePath = ['reservations', wrong, 'dispatchAt'];
  return wrong < 0 || ctx.reject({ expected: 'at or after settledAt, by 12 days at most', relativePath });
});
export type Pacing = typeof Pacing.infer;

/** Makes the id of a dispatch, `<bookingId>#<chunk>#<slot>`. */
export function dispatchIdOf(of: { bookingId: string; chunkIndex: number; slot: number }): string {
  return `${of.bookingId}#${of.chunkIndex}#${of.slot}`;
}
