import { setTimeout as delay } from 'node:timers/promises';
import { BookingAccepted, Problem } from '@usher/contracts';
import { type } from 'arktype';
import type { BulkBooking } from './booking-file.ts';

/** The API refused a submission for good. */
export class SubmissionRefusedError extends Error {
  override readonly name = 'SubmissionRefusedError';
}

/** A booking that was answered 202. */
export interface SubmittedBooking extends BulkBooking {
  readonly bookingId: string;
}

/** What the API answers "not now" with; the same request, under the same key, is then safe to send again. */
const later = new Set([409, 429, 503]);

/**
 * Submits bookings over HTTP as partners would: each account's one after another, several accounts at once, coming back
 * when told to.
 *
 * @param onAccepted told of each booking's rows once it is accepted
 * @throws SubmissionRefusedError
 */
export async function submitAll(
  url: string,
  bookings: readonly BulkBooking[],
  { concurrency, onAccepted }: { concurrency: number; onAccepted: (rows: number) => void },
): Promise<SubmittedBooking[]> {
  const accounts = [...Map.groupBy(bookings, ({ accountId }) => accountId).values()];
  const submitted: SubmittedBooking[] = [];
  await inLanes(accounts, concurrency, async (own) => {
    for (const booking of own) {
      submitted.push({ ...booking, bookingId: await submit(url, booking) });
      onAccepted(booking.reservations.length);
    }
  });
  return submitted;
}

/** Works off a list with so many at once. */
export async function inLanes<T>(items: readonly T[], lanes: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const item of rest) await work(item);
    }),
  );
}

/** The development token of an account, as a header. */
export function authorization(accountId: string): { Authorization: string } {
  return { Authorization: `Bearer dev:${accountId}` };
}

async function submit(url: string, { accountId, idempotencyKey, reservations }: BulkBooking): Promise<string> {
  for (;;) {
    const answer = await fetch(`${url}/v1/bookings`, {
      method: 'POST',
      headers: {
        ...authorization(accountId),
        'Content-Type': 'application/json',
        'Idempotency-Key': idempotencyKey,
      },
      body: JSON.stringify({ reservations }),
    });
    const body: unknown = await answer.json();
    if (answer.status === 202) return BookingAccepted.assert(body).bookingId;
    if (!later.has(answer.status)) {
      const problem = Problem(body);
      const detail =
        problem instanceof type.errors ? '' : `: ${problem.detail} ${JSON.stringify(problem.errors ?? [])}`;
      throw new SubmissionRefusedError(`Booking ${idempotencyKey} of ${accountId}: ${answer.status}${detail}`);
    }
    await delay(1000 * Number(answer.headers.get('Retry-After') ?? 1));
  }
}
