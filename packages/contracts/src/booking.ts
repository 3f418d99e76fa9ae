import { type } from 'arktype';
import { Details } from './details.ts';
import { AccountId, BookingId, BookingMode, Cost, Count, Instant, PlainDate, RejectReason, Window } from './fields.ts';
import { textOfLength } from './text.ts';

/** The most rows that one booking may have. */
export const bookingMaxRows = 10_000;
/** The largest body of a submission: Lambda's 6 MB event limit counts the body JSON-escaped. */
export const bodyMaxBytes = 4 * 1024 * 1024;
/** The rows on one page of a booking's status. */
export const statusPageRows = 1000;
/** The bookings on one page of the list, unless the request says another number. */
export const listPageBookings = 20;
/** The most bookings that one page of the list may hold. */
export const listPageMaxBookings = 100;

/** The client's name for a row, unique in its booking. */
export const ReservationId = textOfLength(1, 128);

/** The rule for ids of a booking, in words. */
export const uniqueRule = 'unique within the booking';

const defaultBookingMode: BookingMode = 'partial';
const defaultCost = 1;

/** One row of a submission. */
export const ReservationRequest = type({
  '+': 'reject',
  id: ReservationId,
  /** Default 1. */
  'cost?': Cost,
  'details?': Details,
});
export type ReservationRequest = typeof ReservationRequest.infer;

/** The body of `POST /v1/bookings`. */
export const BookingRequest = type({
  '+': 'reject',
  /** Default `partial`. */
  'mode?': BookingMode,
  reservations: ReservationRequest.array()
    .atLeastLength(1)
    .atMostLength(bookingMaxRows)
    .narrow((rows, ctx) => {
      const repeated = indexOfRepeat(rows);
      return repeated < 0 || ctx.reject({ expected: uniqueRule, relativePath: [repeated, 'id'] });
    }),
});
export type BookingRequest = typeof BookingRequest.infer;

/** One row with its defaults filled in, as chunks and dispatches carry it. */
export const Reservation = type({ '+': 'reject', id: ReservationId, cost: Cost, 'details?': Details });
export type Reservation = typeof Reservation.infer;

/** A booking's meaning: the request with its defaults filled in. Two requests of one meaning are one booking. */
export interface BookingMeaning {
  readonly bookingMode: BookingMode;
  readonly reservations: readonly Reservation[];
}

/** Fills in the defaults. Arktype's own defaults would copy, and so re-create, what partners send. */
export function meaningOf(request: BookingRequest): BookingMeaning {
  return {
    bookingMode: request.mode ?? defaultBookingMode,
    reservations: request.reservations.map(({ id, cost, details }) => ({
      id,
      cost: cost ?? defaultCost,
      ...(details === undefined ? {} : { details }),
    })),
  };
}

/** The answer 202 to a submission. */
export const BookingAccepted = type({
  '+': 'reject',
  bookingId: BookingId,
  acceptedAt: Instant,
  window: Window,
  reservations: Count,
  chunks: Count,
});
export type BookingAccepted = typeof BookingAccepted.infer;

/** A decided row that is granted. */
export const GrantedReservation = type({
  '+': 'reject',
  id: ReservationId,
  decision: "'granted'",
  cost: Cost,
  dispatchAt: Instant,
});

/** A decided row that is rejected. */
export const RejectedReservation = type({
  '+': 'reject',
  id: ReservationId,
  decision: "'rejected'",
  cost: Cost,
  reason: RejectReason,
});

/** A decided row. */
export const DecidedReservation = GrantedReservation.or(RejectedReservation);
export type DecidedReservation = typeof DecidedReservation.infer;

/** `accepting`: still being queued; `pending`: queued, not yet decided throughout; `decided`: every row is decided. */
export const BookingState = type("'accepting' | 'pending' | 'decided'");
export type BookingState = typeof BookingState.infer;

/** A booking's rows by verdict. */
export const BookingCounts = type({ '+': 'reject', total: Count, granted: Count, rejected: Count, pending: Count });

/** The answer of `GET /v1/bookings/<id>`: one page of decided rows, in the order of submission. */
export const BookingStatus = type({
  '+': 'reject',
  bookingId: BookingId,
  accountId: AccountId,
  acceptedAt: Instant,
  mode: BookingMode,
  window: Window,
  status: BookingState,
  counts: BookingCounts,
  reservations: DecidedReservation.array(),
  'nextCursor?': 'string',
});
export type BookingStatus = typeof BookingStatus.infer;

/** A booking as the list shows it. `date` is its window's; `granted` and `rejected` are there once it is decided. */
export const ListedBooking = type({
  '+': 'reject',
  bookingId: BookingId,
  acceptedAt: Instant,
  date: PlainDate,
  total: Count,
  status: BookingState,
  'granted?': Count,
  'rejected?': Count,
});
export type ListedBooking = typeof ListedBooking.infer;

/** The answer of `GET /v1/bookings`: the caller's bookings, newest first. */
export const BookingList = type({
  '+': 'reject',
  bookings: ListedBooking.array(),
  'nextCursor?': 'string',
});
export type BookingList = typeof BookingList.infer;

/** The index of the first row whose id an earlier row has, or −1. */
export function indexOfRepeat(rows: readonly { readonly id: string }[]): number {
  const seen = new Set<string>();
  return rows.findIndex(({ id }) => seen.size === seen.add(id).size);
}
