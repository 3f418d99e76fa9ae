import { createHash } from 'node:crypto';

/** The longest key that a remote store keeps as it is: bytes of UTF-8. */
export const maxKeyBytes = 1024;

/** A character of UTF-16 has at most three bytes of UTF-8. */
const alwaysShort = Math.floor(maxKeyBytes / 3);

/**
 * A key's name in a store that others share. Limiters' names hold neither a colon nor a tilde, so no two pairs of limiter
 * and key meet. A key of more than {@link maxKeyBytes} is named by its SHA-256.
 */
export function remoteKey({
  prefix,
  limiter,
  key,
}: {
  readonly prefix: string;
  readonly limiter: string;
  readonly key: string;
}): string {
  if (key.length <= alwaysShort || Buffer.byteLength(key) <= maxKeyBytes) return `${prefix}${limiter}:${key}`;
  return `${prefix}${limiter}~${createHash('sha256').update(key).digest('hex')}`;
}
