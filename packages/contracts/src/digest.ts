import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { BookingMeaning } from './booking.ts';
import type { Chunk } from './chunk.ts';

/** A value has no canonical JSON, so it has no digest. Schemas let no such value through: the caller skipped them. */
export class NotCanonicalError extends Error {
  override readonly name = 'NotCanonicalError';
}

/** The digest of a booking's meaning, the same for every spelling: 64 lower-case hexadecimal digits. */
export function bookingDigest({ bookingMode, reservations }: BookingMeaning): string {
  return digestOf({ mode: bookingMode, reservations });
}

/**
 * The digest of a chunk's meaning, the same for every spelling, cut to 16 bytes: 32 lower-case hexadecimal digits. A
 * message with a known chunk id and another digest is no duplicate.
 */
export function chunkDigest(message: Chunk): string {
  const { bookingId, chunk, chunks, accountId, acceptedAt, window, mode, reservations } = message;
  const meaning = { bookingId, chunk, chunks, accountId, acceptedAt, window, mode, reservations };
  return digestOf(meaning).slice(0, 32);
}

/** SHA-256 of a value's canonical JSON (RFC 8785), in which keys have one order and numbers one spelling. */
function digestOf(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new NotCanonicalError('The value has no JSON form');
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
