import { createHash } from 'node:crypto';

/**
 * A booking id: `bk_`, 26 base32 digits of account and idempotency key, 9 of the instant of acceptance in milliseconds.
 * Without the instant it is the booking's key, under which a retry finds the header. A key that is used again after its
 * header's time makes another id.
 */
const digits = 'abcdefghijklmnopqrstuvwxyz234567';
const keyDigits = 26;
const instantDigits = 9;
const keyLength = 'bk_'.length + keyDigits;

/** The key of an account's idempotency key, whoever computes it: 130 bits of SHA-256. */
export function bookingKeyFor(accountId: string, idempotencyKey: string): string {
  const hash = createHash('sha256').update(`${accountId}\0${idempotencyKey}`, 'utf8').digest('hex');
  return `bk_${base32(BigInt(`0x${hash}`) >> BigInt(256 - 5 * keyDigits), keyDigits)}`;
}

/** The id of the booking that was accepted under a key at an instant. */
export function bookingIdOf(bookingKey: string, acceptedAtMs: number): string {
  if (!Number.isSafeInteger(acceptedAtMs) || acceptedAtMs < 0 || acceptedAtMs >= 2 ** (5 * instantDigits)) {
    throw new RangeError('A booking id carries an instant from 1970 to 3084');
  }
  return `${bookingKey}${base32(BigInt(acceptedAtMs), instantDigits)}`;
}

/** The key of a booking: all of its id but the instant. */
export function bookingKeyOf(bookingId: string): string {
  return bookingId.slice(0, keyLength);
}

/** The instant of acceptance that a booking id carries. */
export function acceptedAtMsOf(bookingId: string): number {
  return [...bookingId.slice(keyLength)].reduce((value, digit) => value * 32 + digits.indexOf(digit), 0);
}

/** A number in base32 (RFC 4648's alphabet in lower case), the highest digit first. */
function base32(value: bigint, length: number): string {
  return Array.from({ length }, (_, at) => digits[Number((value >> BigInt(5 * (length - 1 - at))) & 31n)]).join('');
}
