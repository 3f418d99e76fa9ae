import { setTimeout as pause } from 'node:timers/promises';
import { BookingAccepted, BookingStatus } from '@usher/contracts';
import { authorization, type BulkBooking, type SubmittedBooking } from '@usher/local-stack/testing';
import { type } from 'arktype';
import { intake } from '../../infra/lib/numbers.ts';
import type { Counts } from './counts.ts';
import type { KillableStack } from './killable-stack.ts';
import type { Partner } from './scenario.ts';

/** A booking that was answered 202, with the day that it counts for. */
export interface AcceptedBooking extends SubmittedBooking {
  readonly date: string;
}

/** All that the partners have seen; each account's bookings in the order in which they were accepted. */
export interface Observations {
  readonly accepted: AcceptedBooking[];
  /** Bookings that were found decided during the faults, by id. */
  readonly decided: Map<string, BookingStatus>;
  /** Answers that break a promise, each a sentence. */
  readonly violations: string[];
  /** Answers to submissions, by status. */
  readonly answers: Counts;
}

/** A booking was refused for good, though nothing is wrong with it. */
class BookingRefused extends Error {
  override readonly name = 'BookingRefused';
}

export interface PartnerOptions {
  readonly stack: KillableStack;
  readonly observed: Observations;
  /** Aborted when it is to begin no other booking; the one that it is at, it still brings to its 202. */
  readonly ending: AbortSignal;
  /** Aborted when it is to end at once. */
  readonly signal: AbortSignal;
}

/** Submits a partner's bookings one after another, each with its key again until it is answered 202. */
export async function submitBookings(partner: Partner, options: PartnerOptions): Promise<void> {
  const { observed, ending, signal } = options;
  while (!ending.aborted) {
    const booking = partner.nextBooking();
    const accepted = await submit(booking, options);
    observed.accepted.push(accepted);
    if (partner.repeats()) {
      const { bookingId } = await submit(booking, options);
      if (bookingId !== accepted.bookingId) {
        observed.violations.push(`${booking.idempotencyKey} was accepted as ${accepted.bookingId} and as ${bookingId}`);
      }
    }
    if (partner.looks()) await look(accepted, options);
    // Ended by either: the loop's condition, or what comes next, sees to it.
    await pause(partner.pauseMs(), undefined, { signal: AbortSignal.any([ending, signal]) }).catch(() => undefined);
  }
}

const acceptedBody = type('string.json.parse').to(BookingAccepted);
const statusBody = type('string.json.parse').to(BookingStatus);
/** Answers of "not now". */
const later = new Set([409, 429, 503]);

async function submit(booking: BulkBooking, options: PartnerOptions): Promise<AcceptedBooking> {
  const { accountId, idempotencyKey, reservations } = booking;
  const { observed, signal } = options;
  const body = JSON.stringify({ reservations });
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey };
  for (;;) {
    signal.throwIfAborted();
    const answer = await ask(accountId, '/v1/bookings', options, { method: 'POST', headers, body });
    observed.answers.add(answer === undefined ? 'without answer' : `with ${answer.status}`);
    if (answer?.status === 202) {
      const { bookingId, window } = acceptedBody.assert(answer.text);
      return { ...booking, bookingId, date: window.date };
    }
    if (answer !== undefined && !later.has(answer.status)) {
      const what = `${idempotencyKey} was answered ${answer.status}: ${answer.text}`;
      if (answer.status < 500) throw new BookingRefused(what);
      observed.violations.push(what);
    }
    const waitMs = answer === undefined ? 100 : 1000 * Number(answer.retryAfter ?? 1);
    await pause(waitMs, undefined, { signal });
  }
}

async function look({ accountId, bookingId }: AcceptedBooking, options: PartnerOptions): Promise<void> {
  const { violations, decided } = options.observed;
  const answer = await ask(accountId, `/v1/bookings/${bookingId}`, options);
  if (answer === undefined || answer.status === 503) return;
  if (answer.status !== 200) return void violations.push(`GET ${bookingId} was answered ${answer.status}`);
  const status = statusBody.assert(answer.text);
  if (status.status === 'decided') decided.set(bookingId, status);
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

/** Undefined where no answer came: the process was killed, or is about to be started. */
async function ask(
  accountId: string,
  path: string,
  { stack, signal }: PartnerOptions,
  request: RequestInit & { readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Answer | undefined> {
  try {
    const response = await fetch(`${await stack.url}${path}`, {
      ...request,
      headers: { ...authorization(accountId), ...request.headers },
      signal: AbortSignal.any([signal, AbortSignal.timeout(intake.timeoutSeconds * 1000)]),
    });
    const retryAfter = response.headers.get('Retry-After');
    return { status: response.status, retryAfter, text: await response.text() };
  } catch {
    return undefined;
  }
}
