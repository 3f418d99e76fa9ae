import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** A value that has no canonical JSON was to be digested: a mistake of the caller, since schemas let none through. */
export class NotCanonicalError extends Error {
  override readonly name = 'NotCanonicalError';
}

/** A value as canonical JSON (RFC 8785): one text for one meaning, whatever the order of keys and the white space. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new NotCanonicalError('The value has no JSON form');
  return text;
}

/** SHA-256 of a value's canonical JSON: 64 lower-case hexadecimal digits. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value), 'utf8').digest('hex');
}
