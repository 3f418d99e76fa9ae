import {
  type BookingAccepted,
  type BookingMeaning,
  type BookingRequest,
  bookingDigest,
  bookingIdOf,
  bookingKeyFor,
  chunkMaxBytes,
  chunkMaxRows,
  cutBy,
  cutChunks,
  cutText,
  type HeaderItem,
  meaningOf,
  type Reservation,
  rowCountsOf,
} from '@usher/contracts';
import { type Clock, retention, toRfc3339, windowAt } from '@usher/limiter-core/bulk';
import { expiresAt } from '@usher/limiter-core/bulk/dynamodb';
import { errorFields, type Log, type Meter } from '@usher/service';
import { claimBooking, leaseMs, liveHeader } from './claim-booking.ts';
import type { HeaderStore } from './header-store.ts';
import { type IntakeMetric, intakeMetrics } from './metrics.ts';
import type { PolicySource } from './policy-source.ts';
import { type Refusal, refusal } from './refusal.ts';
import type { BookingQueue } from './sqs-bookings.ts';
import type { SubmissionLimit } from './submission-limit.ts';

export interface AcceptPorts {
  readonly headers: HeaderStore;
  readonly queue: BookingQueue;
  readonly policies: PolicySource;
  readonly submissionLimit: SubmissionLimit;
  readonly clock: Clock;
  /** Names an attempt; no two calls give the same. */
  readonly randomId: () => string;
  readonly log: Log;
  readonly meter: Meter<IntakeMetric>;
}

/** One submission: who, under which key, what. */
export interface Submission {
  readonly accountId: string;
  readonly idempotencyKey: string;
  readonly request: BookingRequest;
}

/** A booking that is queued in full, now or before. */
export interface Acceptance {
  readonly kind: 'accepted';
  readonly replayed: boolean;
  readonly answer: BookingAccepted;
  readonly headers: Readonly<Record<string, string>>;
}

/** The end of a lease in which its attempt sends no more, so that the next attempt never runs beside it. */
const leaseMarginMs = 5000;

/**
 * Accepts a booking: header, chunks, header again (architecture, "Intake").
 *
 * The header is read before the submission limiter is asked. That is one small read for every submission, and no repeat
 * of a booking that has a header is charged: a client whose 202 was lost, or whose 503 invited it to try again at once,
 * is not answered 429 for chunks it has paid for. Only attempts that race for the first write are charged each.
 */
export async function acceptBooking(ports: AcceptPorts, submission: Submission): Promise<Acceptance | Refusal> {
  const meaning = meaningOf(submission.request);
  const rowCounts = cutChunks(meaning.reservations).map(({ length }) => length);
  const bookingKey = bookingKeyFor(submission.accountId, submission.idempotencyKey);
  const seen = liveHeader(await ports.headers.read(bookingKey), ports.clock());
  if (seen === undefined && meaning.bookingMode === 'all-or-nothing' && rowCounts.length > 1) return notOneChunk();
  // A repeat keeps the window of its first attempt, so it is answered even while the account's policy cannot be read.
  const timezone = seen?.window.timezone ?? (await ports.policies.policyOf(submission.accountId)).timezone;
  let limitHeaders: Readonly<Record<string, string>> = {};
  if (seen === undefined) {
    const verdict = await ports.submissionLimit.check(submission.accountId, rowCounts.length);
    limitHeaders = verdict.headers;
    if (verdict.retryAfterSeconds !== undefined) {
      ports.meter.count(intakeMetrics.submissionsLimited, 1);
      return refusal('submission-limit-exceeded', verdict.detail, {
        headers: { 'Retry-After': String(verdict.retryAfterSeconds), ...limitHeaders },
      });
    }
  }
  const nowMs = ports.clock();
  const wanted = headerOf({ bookingKey, meaning, rowCounts, timezone, nowMs, ports, accountId: submission.accountId });
  const claim = await claimBooking(ports.headers, wanted, seen, nowMs);
  if (claim.kind === 'unclaimed') {
    // The header may have been written all the same; its lease must not keep the next attempt waiting.
    ports.log.error('booking not claimed', { bookingId: claim.header.bookingId, ...errorFields(claim.error) });
    return giveUp(ports, claim.header, 'The booking could not be recorded');
  }
  if (claim.kind === 'accepted') {
    ports.meter.count(intakeMetrics.bookingsReplayed, 1);
    return { kind: 'accepted', replayed: true, answer: answerOf(claim.header), headers: limitHeaders };
  }
  if (claim.kind === 'refused') return claim;
  // The rows are cut as the attempt that wrote the header cut them: chunks of its making may be queued.
  return enqueue(ports, claim.header, cutBy(meaning.reservations, claim.header.cut), limitHeaders);
}

async function enqueue(
  ports: AcceptPorts,
  header: HeaderItem,
  slices: readonly Reservation[][],
  headers: Readonly<Record<string, string>>,
): Promise<Acceptance | Refusal> {
  const { bookingId, accountId, leaseUntilMs = 0 } = header;
  const isOverdue = (): boolean => ports.clock() > leaseUntilMs - leaseMarginMs;
  try {
    if (!(await ports.queue.send(header, slices, isOverdue))) {
      return await giveUp(ports, header, 'The queue did not take all of the booking');
    }
    // If another attempt holds the header by now, it will mark it. All chunks are queued either way.
    await ports.headers.markAccepted(header);
  } catch (error) {
    ports.log.error('booking not enqueued', { bookingId, accountId, ...errorFields(error) });
    return giveUp(ports, header, 'The booking could not be recorded as accepted');
  }
  ports.meter.count(intakeMetrics.bookingsAccepted, 1);
  ports.meter.count(intakeMetrics.reservationsAccepted, header.total);
  ports.meter.count(intakeMetrics.chunksQueued, slices.length);
  ports.log.info('booking accepted', { bookingId, accountId, reservations: header.total, chunks: slices.length });
  return { kind: 'accepted', replayed: false, answer: answerOf(header), headers };
}

async function giveUp(ports: AcceptPorts, header: HeaderItem, why: string): Promise<Refusal> {
  ports.meter.count(intakeMetrics.unavailable, 1);
  try {
    await ports.headers.giveUp(header);
  } catch (error) {
    const { bookingId, accountId } = header;
    ports.log.warn('lease not given up', { bookingId, accountId, ...errorFields(error) });
  }
  return refusal('unavailable', `${why}; send it again with the same Idempotency-Key.`, {
    headers: { 'Retry-After': '1' },
  });
}

function headerOf(of: {
  bookingKey: string;
  accountId: string;
  meaning: BookingMeaning;
  rowCounts: readonly number[];
  timezone: string;
  nowMs: number;
  ports: AcceptPorts;
}): HeaderItem {
  return {
    bookingId: bookingIdOf(of.bookingKey, of.nowMs),
    accountId: of.accountId,
    acceptedAt: toRfc3339(of.nowMs),
    window: { ...windowAt(of.nowMs, of.timezone) },
    mode: of.meaning.bookingMode,
    total: of.meaning.reservations.length,
    cut: cutText(of.rowCounts),
    digest: bookingDigest(of.meaning),
    state: 'accepting',
    leaseUntilMs: of.nowMs + leaseMs,
    nonce: of.ports.randomId(),
    expiresAt: expiresAt(of.nowMs, retention.headerMs),
  };
}

function answerOf({ bookingId, acceptedAt, window, total, cut }: HeaderItem): BookingAccepted {
  return { bookingId, acceptedAt, window, reservations: total, chunks: rowCountsOf(cut).length };
}

function notOneChunk(): Refusal {
  const detail = `must fit one chunk (${chunkMaxRows} rows, ${chunkMaxBytes} bytes of JSON) for mode "all-or-nothing"`;
  return refusal('invalid-body', 'The body has invalid fields.', {
    fields: { errors: [{ pointer: '/reservations', detail }], errorCount: 1 },
  });
}
