import { BookingRequest, Reservation, ReservationRequest } from './booking.ts';
import { Chunk } from './chunk.ts';
import { closedReader } from './closed-reader.ts';
import { PacedReservation, Pacing } from './dispatch.ts';
import { Window } from './fields.ts';

/** Reads the body of `POST /v1/bookings`. */
export const readBookingRequest = closedReader(BookingRequest, { lists: { reservations: ReservationRequest } });

/** Reads a message of `bookings.fifo`. */
export const readChunk = closedReader(Chunk, { objects: { window: Window }, lists: { reservations: Reservation } });

/** Reads a message of the pacing queue. */
export const readPacing = closedReader(Pacing, { lists: { reservations: PacedReservation } });
