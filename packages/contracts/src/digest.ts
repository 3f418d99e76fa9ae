import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { BookingMeaning } from './booking.ts';
import type { Chunk } from './chunk.ts';

/** A value that has no canonical JSON was to be digested: a mistake of the caller, since schemas let none through. */
export class NotCanonicalError extends Error {
  override readonly name = 'NotCanonicalError';
}

/** Digest of what a booking's payload means, whatever its spelling: 64 lower-case hexadecimal digits. */
export function bookingDigest({ bookingMode, reservations }: BookingMeaning): string {
  return digestOf({ mode: bookingMode, reservations });
}

/**
 * Digest of what a chunk means, whatever its spelling, cut to 16 bytes: 32 lower-case hexadecimal digits. The same chunk
 * id with another digest is another chunk, and no duplicate.
 */
export function chunkDigest(message: Chunk): string {
  const { bookingId, chunk, chunks, accountId, acceptedAt, window, mode, reservations } = message;
  const meaning = { bookingId, chunk, chunks, accountId, acceptedAt, window, mode, reservations };
  return digestOf(meaning).slice(0, 32);
}

/** SHA-256 of a value's canonical JSON (RFC 8785): one digest for one meaning, whatever the order of keys. */
function digestOf(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new NotCanonicalError('The value has no JSON form');
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
