import { InvalidArgumentError } from '../errors.ts';
import { type Address, parseAddress, readAddress, withoutIpv6Prefix } from './address.ts';

/**
 * The proxies whose word on a caller's address is taken: their number, counted from the one that connects to this process,
 * or their addresses and prefixes (`10.0.0.0/8`, `fd00::/8`).
 *
 * A number holds only if nobody can come past a proxy. Who reaches an inner one directly writes the address that it counts to.
 */
export type TrustedProxies = number | readonly string[];

/** A request's way here: who connected, and what the proxies before say. */
export interface Route {
  /** The address that the connection came from. It cannot be made up. */
  readonly peer: string | undefined;
  /** The values of X-Forwarded-For, in order. Each proxy adds its own peer to the end; all before that may be made up. */
  readonly forwardedFor?: string | readonly string[] | undefined;
}

/**
 * A finder of the caller's address: the last one that is no trusted proxy's. Without trusted proxies it is the peer. Where a
 * trusted proxy names no address, it is that proxy's own: nobody gains a key of his choice by it.
 *
 * @throws InvalidArgumentError for what is neither a number of proxies nor a list of addresses and prefixes
 */
export function callerFinder(trusted: TrustedProxies = 0): (route: Route) => Address | undefined {
  const isTrusted = trustOf(trusted);
  return ({ peer, forwardedFor }) => {
    let caller = readAddress(peer);
    if (!isTrusted(caller, 0)) return caller;
    const entries = [forwardedFor ?? []].flat().flatMap((line) => line.split(','));
    let proxies = 0;
    for (const entry of entries.reverse()) {
      // Empty entries say nothing (RFC 9110, section 5.6.1.2).
      if (entry.trim() === '') continue;
      if (!isTrusted(caller, proxies)) break;
      const before = readAddress(entry);
      if (before === undefined) break;
      caller = before;
      proxies++;
    }
    return caller;
  };
}

function trustOf(trusted: TrustedProxies): (address: Address | undefined, proxies: number) => boolean {
  if (typeof trusted === 'number') {
    if (!Number.isSafeInteger(trusted) || trusted < 0) {
      throw new InvalidArgumentError(`trustProxies must be a whole number ≥ 0 (was ${trusted})`);
    }
    return (_address, proxies) => proxies < trusted;
  }
  if (!Array.isArray(trusted)) {
    throw new InvalidArgumentError('trustProxies must be a number of proxies, or a list of addresses and prefixes');
  }
  const prefixes = trusted.map(prefixOf);
  return (address) => address !== undefined && prefixes.some((prefix) => isWithin(address, prefix));
}

interface Prefix {
  readonly address: Address;
  readonly bits: number;
}

function prefixOf(text: unknown, i: number): Prefix {
  const [, written = '', length] = /^([0-9a-f:.]+)(?:\/(\d{1,3}))?$/i.exec(String(text)) ?? [];
  const parsed = parseAddress(written);
  const address = parsed && withoutIpv6Prefix(parsed);
  if (parsed !== undefined && address !== undefined) {
    const bits = Number(length ?? parsed.length * 8) - (parsed.length - address.length) * 8;
    if (bits >= 0 && bits <= address.length * 8) return { address, bits };
  }
  throw new InvalidArgumentError(`trustProxies[${i}] must be an address or a prefix such as 10.0.0.0/8`);
}

function isWithin(address: Address, prefix: Prefix): boolean {
  if (address.length !== prefix.address.length) return false;
  return prefix.address.every((byte, i) => {
    const unused = Math.max(0, Math.min(8, (i + 1) * 8 - prefix.bits));
    return byte >> unused === (address[i] ?? 0) >> unused;
  });
}
