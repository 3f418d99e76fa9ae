import { InvalidArgumentError } from '../errors.ts';
import { type Address, callerAt, readAddress } from './address.ts';
import { textAt } from './unknown.ts';

/** The key of those of whom nothing is known. They share it: to have no address is no way around a limit. */
const unknownKey = 'address:unknown';

/**
 * The key of a token's owner, as the adapters give it to a limiter: `token:["https://issuer.example","ada"]`. No two pairs
 * of issuer and subject have one key, and none of them is an address's.
 *
 * @example
 * ```ts
 * tokenKey({ iss: 'https://issuer.example', sub: 'ada' }); // 'token:["https://issuer.example","ada"]'
 * ```
 *
 * @throws InvalidArgumentError for an issuer or a subject that is no string of at least one character
 */
export function tokenKey(claims: { readonly iss: string; readonly sub: string }): string {
  const key = keyOfClaims(claims);
  if (key === undefined) throw new InvalidArgumentError('iss and sub must be strings of at least one character');
  return key;
}

/**
 * The key of an address, as the adapters give it to a limiter: `address:192.0.2.7`, or `address:2001:db8:0:ab00::/56`. All
 * addresses of an IPv6 prefix of 56 bits have one key, and so do an IPv4 address and the same one mapped into IPv6.
 *
 * @example
 * ```ts
 * addressKey('192.0.2.7'); // 'address:192.0.2.7'
 * addressKey('2001:db8:0:ab12::1'); // 'address:2001:db8:0:ab00::/56'
 * ```
 *
 * @throws InvalidArgumentError for a text that is no address
 */
export function addressKey(address: string): string {
  const read = readAddress(address);
  if (read === undefined) throw new InvalidArgumentError('address must be an IPv4 or IPv6 address');
  return keyOfAddress(read);
}

/** The key of verified claims; undefined where they do not name an issuer and a subject. */
export function keyOfClaims(claims: unknown): string | undefined {
  const [iss, sub] = [textAt(claims, 'iss'), textAt(claims, 'sub')];
  // JSON keeps the two apart whatever characters they are of, and spells lone surrogates out.
  return iss && sub ? `token:${JSON.stringify([iss, sub])}` : undefined;
}

export function keyOfAddress(address: Address | undefined): string {
  return address === undefined ? unknownKey : `address:${callerAt(address)}`;
}
