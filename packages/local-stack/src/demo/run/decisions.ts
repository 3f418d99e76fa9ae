import { BookingStatus, type DecidedReservation } from '@usher/contracts';
import { UndecidedError } from '../../errors.ts';
import type { Patience } from './patience.ts';
import { authorization, inLanes, type SubmittedBooking } from './submit.ts';

/** A booking with the decision of each of its rows. */
export interface DecidedBooking extends SubmittedBooking {
  readonly acceptedAt: string;
  readonly resetsAt: string;
  readonly decisions: readonly DecidedReservation[];
}

const pollMs = 100;
/** So long without a single decision means that none will come. */
const stalledMs = 60_000;

/**
 * Asks the API for the bookings until every one of them is decided.
 *
 * @param onDecided told of each booking's rows once it is decided
 * @param onWait told when none was decided since the last look
 * @throws UndecidedError
 */
export async function awaitDecisions(
  url: string,
  bookings: readonly SubmittedBooking[],
  {
    concurrency,
    patience,
    onDecided,
    onWait = () => {},
  }: { concurrency: number; patience: Patience; onDecided: (rows: number) => void; onWait?: () => void },
): Promise<DecidedBooking[]> {
  const decided: DecidedBooking[] = [];
  let pending = [...bookings];
  let idleMs = 0;
  while (pending.length > 0) {
    const undecided: SubmittedBooking[] = [];
    await inLanes(pending, concurrency, async (booking) => {
      const found = await readDecided(url, booking, patience.signal);
      if (found === undefined) return void undecided.push(booking);
      decided.push(found);
      onDecided(booking.reservations.length);
    });
    idleMs = undecided.length < pending.length ? 0 : idleMs + pollMs;
    if (idleMs > stalledMs)
      throw new UndecidedError(
        `${undecided.length} bookings stay undecided: nothing was decided for ${stalledMs / 1000} s`,
      );
    if (idleMs > 0) onWait();
    pending = undecided;
    if (pending.length > 0) await patience.pause(pollMs);
  }
  return decided;
}

/** The booking with its decisions; undefined where it is not decided yet, or cannot be read just now. */
async function readDecided(
  url: string,
  booking: SubmittedBooking,
  signal: AbortSignal,
): Promise<DecidedBooking | undefined> {
  const decisions: DecidedReservation[] = [];
  let cursor: string | undefined = '0';
  let acceptedAt = '';
  let resetsAt = '';
  while (cursor !== undefined) {
    const query: string = cursor === '0' ? '' : `?cursor=${cursor}`;
    const answer = await fetch(`${url}/v1/bookings/${booking.bookingId}${query}`, {
      headers: authorization(booking.accountId),
      signal,
    });
    const body: unknown = await answer.json();
    // Not now: neither says anything about the booking.
    if (answer.status === 503 || answer.status === 429) return undefined;
    const page = BookingStatus.assert(body);
    if (page.status !== 'decided') return undefined;
    decisions.push(...page.reservations);
    acceptedAt = page.acceptedAt;
    resetsAt = page.window.resetsAt;
    cursor = page.nextCursor;
  }
  return { ...booking, acceptedAt, resetsAt, decisions };
}
