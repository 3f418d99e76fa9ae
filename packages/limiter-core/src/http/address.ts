/** An address: four bytes of IPv4 or sixteen of IPv6. */
export type Address = readonly number[];

/** The longest text that is read: the longest IPv6 address in brackets, with a zone and a port, and room to spare. */
const maxTextLength = 100;

/** The bytes of an IPv6 prefix that stand for one caller: 56 bits, what one household or site is commonly given. */
const ipv6PrefixBytes = 7;

/** Prefixes of 96 bits whose last four bytes are an IPv4 address: mapped (RFC 4291) and translated (RFC 6052). */
const ipv4Within: readonly Address[] = [
  [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff],
  [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0],
];

/**
 * The address that a text tells: alone, in brackets, with a port or with a zone. Two texts of one address give the same
 * bytes: IPv4 within IPv6 becomes IPv4.
 *
 * @returns undefined where the text is no address
 */
export function readAddress(text: string | undefined): Address | undefined {
  if (text === undefined || text.length > maxTextLength) return undefined;
  const address = parseAddress(withoutPort(text.trim()));
  return address && withoutIpv6Prefix(address);
}

/** The address that a text is, byte for byte; undefined for any other text. */
export function parseAddress(text: string): Address | undefined {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

/** IPv4 that is written within IPv6 as IPv4; any other address as it is. */
export function withoutIpv6Prefix(address: Address): Address {
  return ipv4Within.some((prefix) => startsWith(address, prefix)) ? address.slice(12) : address;
}

/** The caller that an address stands for, as text: an IPv4 address, or an IPv6 prefix of 56 bits. */
export function callerAt(address: Address): string {
  if (address.length === 4) return address.join('.');
  const prefix = [...address.slice(0, ipv6PrefixBytes), 0];
  return `${groupsOf(prefix).join(':')}::/${ipv6PrefixBytes * 8}`;
}

function startsWith(address: Address, prefix: Address): boolean {
  return address.length > prefix.length && prefix.every((byte, i) => byte === address[i]);
}

function groupsOf(bytes: readonly number[]): string[] {
  const groups: string[] = [];
  for (let i = 0; i < bytes.length; i += 2) groups.push((((bytes[i] ?? 0) << 8) | (bytes[i + 1] ?? 0)).toString(16));
  return groups;
}

/** `[::1]:443`, `[::1]`, `1.2.3.4:443` and `fe80::1%eth0`, without what is not the address. */
function withoutPort(text: string): string {
  const end = text.indexOf(']');
  if (text.startsWith('[') && end > 0) {
    const port = text.slice(end + 1);
    return port === '' || isPort(port) ? withoutZone(text.slice(1, end)) : '';
  }
  const colon = text.indexOf(':');
  // An IPv6 address without brackets has no port: it would be one more group.
  const isIpv4 = colon > 0 && text.indexOf('.') > 0 && text.indexOf('.') < colon;
  return isIpv4 && isPort(text.slice(colon)) ? text.slice(0, colon) : withoutZone(text);
}

function isPort(text: string): boolean {
  return /^:\d{1,5}$/.test(text);
}

/** A zone tells on which link an address is. It is the host's own, and part of no address. */
function withoutZone(text: string): string {
  const percent = text.indexOf('%');
  return percent > 0 && text.includes(':') ? text.slice(0, percent) : text;
}

function parseIpv4(text: string): Address | undefined {
  const parts = text.split('.');
  // A leading zero is octal to some readers and decimal to others: such a text is no address.
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part))) return undefined;
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

function parseIpv6(text: string): Address | undefined {
  const halves = text.split('::');
  const [before = '', after] = halves;
  if (halves.length > 2) return undefined;
  const head = bytesOf(before, after === undefined);
  const tail = after === undefined ? [] : bytesOf(after, true);
  if (head === undefined || tail === undefined) return undefined;
  const missing = 16 - head.length - tail.length;
  // `::` stands for at least one group.
  if (after === undefined ? missing !== 0 : missing < 2) return undefined;
  return [...head, ...new Array<number>(missing).fill(0), ...tail];
}

/** The bytes of groups between colons, the last of which may be an IPv4 address where it ends the text. */
function bytesOf(text: string, isEnd: boolean): number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [i, group] of groups.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
      continue;
    }
    const ipv4 = isEnd && i === groups.length - 1 ? parseIpv4(group) : undefined;
    if (ipv4 === undefined) return undefined;
    bytes.push(...ipv4);
  }
  return bytes;
}
