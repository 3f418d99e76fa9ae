import { BookingAccepted, Problem } from '@usher/contracts';
import { type } from 'arktype';
import { SubmissionRefusedError } from '../../errors.ts';
import type { BulkBooking } from '../input/booking-file.ts';
import type { Patience } from './patience.ts';

/** A booking that was answered 202. */
export interface SubmittedBooking extends BulkBooking {
  readonly bookingId: string;
}

/** The statuses that mean "not now", and what is waited for. The same request is then safe to send again. */
const later = new Map([
  [409, 'another request for the same booking'],
  [429, 'the submission limiter'],
  [503, 'the API'],
]);
/** The times that one booking is sent before it is given up. The submission limiter asks for a few seconds at most. */
const maxAttempts = 60;

/**
 * Submits bookings over HTTP as partners would: each account's one after another, several accounts at once. A booking
 * that is put off comes again when the answer says so.
 *
 * @param onAccepted told of each booking's rows once it is accepted
 * @param onWait told of what a booking waits for, and for how many seconds
 * @throws SubmissionRefusedError
 */
export async function submitAll(
  url: string,
  bookings: readonly BulkBooking[],
  {
    concurrency,
    patience,
    onAccepted,
    onWait = () => {},
  }: {
    concurrency: number;
    patience: Patience;
    onAccepted: (rows: number) => void;
    onWait?: (what: string, seconds: number) => void;
  },
): Promise<SubmittedBooking[]> {
  const accounts = [...Map.groupBy(bookings, ({ accountId }) => accountId).values()];
  const submitted: SubmittedBooking[] = [];
  await inLanes(accounts, concurrency, async (own) => {
    for (const booking of own) {
      submitted.push({ ...booking, bookingId: await submit(url, booking, patience, onWait) });
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

async function submit(
  url: string,
  booking: BulkBooking,
  { signal, pause }: Patience,
  onWait: (what: string, seconds: number) => void,
): Promise<string> {
  const { accountId, idempotencyKey, reservations } = booking;
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(`${url}/v1/bookings`, {
      method: 'POST',
      headers: {
        ...authorization(accountId),
        'Content-Type': 'application/json',
        'Idempotency-Key': idempotencyKey,
      },
      body: JSON.stringify({ reservations }),
      signal,
    });
    const text = await answer.text();
    if (answer.status === 202) return acceptedBody.assert(text).bookingId;
    const waitsFor = later.get(answer.status);
    if (waitsFor === undefined || attempt === maxAttempts) {
      throw new SubmissionRefusedError(
        `Booking ${idempotencyKey} of ${accountId} was answered ${answer.status}${detailOf(text)}`,
      );
    }
    const seconds = Number(answer.headers.get('Retry-After') ?? 1);
    onWait(waitsFor, seconds);
    await pause(1000 * seconds);
  }
}

const acceptedBody = type('string.json.parse').to(BookingAccepted);
const problemBody = type('string.json.parse').to(Problem);

/** The reason of a refusal, as the rest of a sentence. */
function detailOf(text: string): string {
  const problem = problemBody(text);
  if (problem instanceof type.errors) return '';
  const fields = (problem.errors ?? []).map(
    (bad) => ` ${'pointer' in bad ? bad.pointer : bad.parameter} ${bad.detail}`,
  );
  return `: ${problem.detail}${fields.join(';')}`;
}
