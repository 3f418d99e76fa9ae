import { createHash } from 'node:crypto';
import { type BookingMeaning, digestOf, type HeaderItem } from '@usher/contracts';
import { retention } from '@usher/limiter-core';
import { isExpired } from '@usher/limiter-core/dynamodb';
import type { HeaderStore } from './header-store.ts';

/** How long one attempt to enqueue a booking keeps others out. The Lambda's own timeout, 25 s, is shorter. */
export const leaseMs = 30_000;

/**
 * How old an unfinished booking may be and still be resumed: what is queued now may wait 14 days more, and older than
 * `retention.unsettledMs` it would not be settled any more.
 */
const resumableMs = retention.unsettledMs / 2;

/** How often losing a race against another attempt is answered by looking again. */
const maxRounds = 3;

/** The booking id that belongs to an account's idempotency key. */
export function bookingIdOf(accountId: string, idempotencyKey: string): string {
  const hash = createHash('sha256').update(`${accountId}\0${idempotencyKey}`, 'utf8').digest();
  return `bk_${base32(hash.subarray(0, 20))}`;
}

/** Digest of what a payload means: defaults filled in, keys in one order, white space gone. */
export function payloadDigest({ mode, reservations }: BookingMeaning): string {
  return digestOf({ mode, reservations });
}

/** What has become of an attempt to take a booking on. */
export type Claim =
  /** This attempt holds the lease and must enqueue the booking as the header says. */
  | { readonly kind: 'claimed'; readonly header: HeaderItem }
  /** The booking was accepted before. */
  | { readonly kind: 'accepted'; readonly header: HeaderItem }
  /** Another attempt holds the lease. */
  | { readonly kind: 'busy' }
  /** The key belongs to another payload. */
  | { readonly kind: 'reused'; readonly earlier: Pick<HeaderItem, 'bookingId' | 'acceptedAt'> }
  /** It was begun long ago and never finished. */
  | { readonly kind: 'too_old' };

/** The header as it counts: one past its time is absent, whether DynamoDB has deleted it yet or not. */
export function liveHeader(header: HeaderItem | undefined, nowMs: number): HeaderItem | undefined {
  return header === undefined || isExpired(header.expiresAt, nowMs) ? undefined : header;
}

/**
 * Takes a booking on: writes its header, or takes over one whose attempt ended without an answer.
 *
 * @param wanted the header of this attempt, with its own nonce and lease
 * @param seen what was read before, if anything
 */
export async function claimBooking(
  headers: HeaderStore,
  wanted: HeaderItem,
  seen: HeaderItem | undefined,
  nowMs: number,
): Promise<Claim> {
  let found = seen;
  for (let round = 0; round < maxRounds; round++) {
    if (found === undefined) {
      if (await headers.create(wanted, nowMs)) return { kind: 'claimed', header: wanted };
    } else {
      const claim = claimOf(found, wanted, nowMs);
      if (claim !== 'resumable') return claim;
      const { nonce, leaseUntil } = wanted;
      const lease = { nonce, leaseUntil: leaseUntil ?? nowMs };
      if (await headers.takeOver(found, lease)) return { kind: 'claimed', header: { ...found, ...lease } };
    }
    // Either another attempt was faster, or it was this one's own write and only its reply was lost.
    found = liveHeader(await headers.read(wanted.bookingId), nowMs);
  }
  return { kind: 'busy' };
}

function claimOf(found: HeaderItem, wanted: HeaderItem, nowMs: number): Claim | 'resumable' {
  if (found.nonce === wanted.nonce) return { kind: 'claimed', header: found };
  if (found.digest !== wanted.digest) return { kind: 'reused', earlier: found };
  if (found.state === 'accepted') return { kind: 'accepted', header: found };
  if ((found.leaseUntil ?? 0) > nowMs) return { kind: 'busy' };
  return Date.parse(found.acceptedAt) + resumableMs < nowMs ? { kind: 'too_old' } : 'resumable';
}

/** Base32 (RFC 4648) in lower case; 20 bytes make 32 characters without padding. */
function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? [])
    .map((five) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(five, 2)])
    .join('');
}
