import { createHash } from 'node:crypto';

/** The booking id that belongs to an account's idempotency key: one key is one booking, whoever computes it. */
export function bookingIdOf(accountId: string, idempotencyKey: string): string {
  const hash = createHash('sha256').update(`${accountId}\0${idempotencyKey}`, 'utf8').digest();
  return `bk_${base32(hash.subarray(0, 20))}`;
}

/** Base32 (RFC 4648) in lower case; 20 bytes make 32 characters without padding. */
function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? [])
    .map((five) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(five, 2)])
    .join('');
}
