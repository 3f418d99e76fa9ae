import { BookingAccepted, BookingStatus } from '@usher/contracts';
import { expect } from 'vitest';
import { rows, type TestIntake } from './start-intake.ts';

/** Submits a booking of so many rows, and tells its id. */
export async function submitted(intake: TestIntake, count: number): Promise<string> {
  const response = await intake.submit({ reservations: rows(count) });
  return BookingAccepted.assert(await response.json()).bookingId;
}

/** A status page of a booking, checked against its schema, and how long to wait for the next look. */
export async function statusOf(
  intake: TestIntake,
  bookingId: string,
  cursor = '',
): Promise<{ page: BookingStatus; retryAfter: string | null }> {
  const response = await intake.fetch(`/v1/bookings/${bookingId}${cursor && `?cursor=${cursor}`}`);
  expect(response.status).toBe(200);
  return { page: BookingStatus.assert(await response.json()), retryAfter: response.headers.get('retry-after') };
}
