import { bookingKeyOf, type HeaderItem } from '@usher/contracts';
import { retention } from '@usher/limiter-core/bulk';
import { isExpired } from '@usher/limiter-core/bulk/dynamodb';
import type { HeaderStore } from './header-store.ts';
import { type Refusal, refusal } from './refusal.ts';

/** The time for which one attempt to enqueue a booking keeps others out. The Lambda's own timeout, 25 s, is shorter. */
export const leaseMs = 30_000;

/**
 * The age up to which an unfinished booking is resumed: its chunks, queued now, may wait 14 days more, and older than
 * `retention.unsettledMs` they would not be settled.
 */
const resumableMs = retention.unsettledMs / 2;

/** The number of looks at a header whose race against another attempt was lost. */
const maxRounds = 3;

/** A claim: what an attempt to take a booking on has come to. */
export type Claim =
  /** This attempt holds the lease and must enqueue the booking as the header says. */
  | { readonly kind: 'claimed'; readonly header: HeaderItem }
  /** The booking was accepted before. */
  | { readonly kind: 'accepted'; readonly header: HeaderItem }
  /** The table failed. The lease may be this attempt's all the same, on the header as it would then be. */
  | { readonly kind: 'unclaimed'; readonly header: HeaderItem; readonly error: unknown }
  /** `booking-busy` (409), `idempotency-key-reused` or `booking-too-old`. */
  | Refusal;

/** The header as it counts: one past its time is absent, whether DynamoDB has deleted it yet or not. */
export function liveHeader(header: HeaderItem | undefined, nowMs: number): HeaderItem | undefined {
  return header === undefined || isExpired(header.expiresAt, nowMs) ? undefined : header;
}

/**
 * Takes a booking on: writes its header, or takes over one whose attempt ended without an answer. What it claims is the
 * header as it is stored: the id carries the instant of the attempt that wrote it.
 *
 * @param wanted the header of this attempt, with its own nonce and lease
 * @param seen the header that was read before, if there was one
 */
export async function claimBooking(
  headers: HeaderStore,
  wanted: HeaderItem,
  seen: HeaderItem | undefined,
  nowMs: number,
): Promise<Claim> {
  const { nonce, leaseUntilMs = nowMs } = wanted;
  const lease = { nonce, leaseUntilMs };
  let found = seen;
  try {
    for (let round = 0; round < maxRounds; round++) {
      if (found === undefined) {
        if (await headers.create(wanted, nowMs)) return { kind: 'claimed', header: wanted };
      } else {
        const claim = claimOf(found, wanted, nowMs);
        if (claim !== 'resumable') return claim;
        if (await headers.takeOver(found, lease)) return { kind: 'claimed', header: { ...found, ...lease } };
      }
      // Either another attempt was faster, or it was this one's own write and only its reply was lost.
      found = liveHeader(await headers.read(bookingKeyOf(wanted.bookingId)), nowMs);
    }
  } catch (error) {
    return { kind: 'unclaimed', header: found === undefined ? wanted : { ...found, ...lease }, error };
  }
  return bookingBusy();
}

function claimOf(found: HeaderItem, wanted: HeaderItem, nowMs: number): Claim | 'resumable' {
  if (found.nonce === wanted.nonce) return { kind: 'claimed', header: found };
  if (found.digest !== wanted.digest) return keyReused(found);
  if (found.state === 'accepted') return { kind: 'accepted', header: found };
  if ((found.leaseUntilMs ?? 0) > nowMs) return bookingBusy();
  return Date.parse(found.acceptedAt) + resumableMs < nowMs ? bookingTooOld() : 'resumable';
}

/** Another attempt holds the lease. The lease bounds attempts that died; one that lives is done in a moment. */
function bookingBusy(): Refusal {
  return refusal('booking-busy', 'A submission with this Idempotency-Key is being enqueued right now.', {
    headers: { 'Retry-After': '1' },
  });
}

function keyReused({ bookingId, acceptedAt }: HeaderItem): Refusal {
  const detail = `This Idempotency-Key belongs to booking ${bookingId}, accepted at ${acceptedAt} with another payload.`;
  return refusal('idempotency-key-reused', detail, { fields: { booking: { bookingId, acceptedAt } } });
}

function bookingTooOld(): Refusal {
  return refusal('booking-too-old', 'This submission was begun too long ago to be completed; use a new key.');
}
