import { BookingRequest, bookingMaxRows, Reservation, ReservationRequest, uniqueRule } from './booking.ts';
import { Chunk, chunkMaxRows } from './chunk.ts';
import { closedReader } from './closed-reader.ts';
import { PacedReservation, Pacing } from './dispatch.ts';
import { type FieldError, type FieldErrors, fieldErrorsMax, jsonPointer } from './field-errors.ts';
import { Window } from './fields.ts';

/** Reads the body of `POST /v1/bookings`. */
export const readBookingRequest = closedReader(
  BookingRequest,
  { lists: { reservations: ReservationRequest } },
  bookingFaults,
);

/** Reads a message of `bookings.fifo`. */
export const readChunk = closedReader(Chunk, { objects: { window: Window }, lists: { reservations: Reservation } });

/** Reads a message of the pacing queue. */
export const readPacing = closedReader(Pacing, { lists: { reservations: PacedReservation } });

/** Faults that the schema tells only alone: rows that repeat an id, and too many rows for all-or-nothing. */
function bookingFaults(value: unknown): FieldErrors {
  const { mode, reservations }: { mode?: unknown; reservations?: unknown } =
    typeof value === 'object' && value !== null ? value : {};
  if (!Array.isArray(reservations) || reservations.length > bookingMaxRows) return { errors: [], errorCount: 0 };
  const errors: FieldError[] = [];
  let errorCount = 0;
  const tell = (error: () => FieldError): void => {
    errorCount++;
    if (errors.length < fieldErrorsMax) errors.push(error());
  };
  if (mode === 'all-or-nothing' && reservations.length > chunkMaxRows) {
    tell(() => ({ pointer: '/reservations', detail: `must be at most ${chunkMaxRows} rows for all-or-nothing` }));
  }
  const seen = new Set<string>();
  for (const [i, row] of reservations.entries()) {
    const { id }: { id?: unknown } = typeof row === 'object' && row !== null ? row : {};
    if (typeof id !== 'string') continue;
    if (seen.has(id))
      tell(() => ({ pointer: jsonPointer(['reservations', i, 'id']), detail: `must be ${uniqueRule}` }));
    seen.add(id);
  }
  return { errors, errorCount };
}
