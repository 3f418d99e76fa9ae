import { expect, test } from 'vitest';
import { callerAt, readAddress } from './address.ts';

function callerOf(text: string): string | undefined {
  const address = readAddress(text);
  return address && callerAt(address);
}

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['192.0.2.7:443', '192.0.2.7'],
  [' 192.0.2.7\t', '192.0.2.7'],
  ['0.0.0.0', '0.0.0.0'],
  ['255.255.255.255', '255.255.255.255'],
])('%s is the IPv4 address %s', (text, expected) => {
  expect(callerOf(text)).toBe(expected);
});

test.each([
  '::ffff:192.0.2.7',
  '::FFFF:192.0.2.7',
  '::ffff:c000:207',
  '0:0:0:0:0:ffff:192.0.2.7',
  '0000:0000:0000:0000:0000:FFFF:C000:0207',
  '[::ffff:192.0.2.7]:443',
  '64:ff9b::192.0.2.7',
])('%s is the same caller as 192.0.2.7', (text) => {
  expect(callerOf(text)).toBe('192.0.2.7');
});

test.each([
  '2001:db8:0:ab12::1',
  '2001:DB8:0:AB12::1',
  '2001:db8::ab12:0:0:0:1',
  '2001:0db8:0000:ab12:0000:0000:0000:0001',
  '2001:db8:0:abff:ffff:ffff:ffff:ffff',
  '[2001:db8:0:ab12::1]',
  '[2001:db8:0:ab12::1]:443',
  '2001:db8:0:ab12::1%eth0',
  '[2001:db8:0:ab12::1%25eth0]:443',
  '2001:db8:0:ab12::192.0.2.7',
])('%s is of the caller 2001:db8:0:ab00::/56', (text) => {
  expect(callerOf(text)).toBe('2001:db8:0:ab00::/56');
});

test('the next prefix of 56 bits is another caller', () => {
  expect(callerOf('2001:db8:0:ac00::1')).toBe('2001:db8:0:ac00::/56');
  expect(callerOf('::1')).toBe('0:0:0:0::/56');
});

test.each([
  '',
  ' ',
  'unknown',
  '_hidden',
  '256.1.1.1',
  '1.2.3',
  '1.2.3.4.5',
  '01.2.3.4',
  '0x1.2.3.4',
  '1.2.3.4:',
  '1.2.3.4:123456',
  '1.2.3.4:80:80',
  '1.2.3.4%eth0',
  '1.2.3.-4',
  '1 .2.3.4',
  ':',
  ':::',
  '1::2::3',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '1:2:3:4:5:6:7::8',
  ':1:2:3:4:5:6:7',
  '12345::',
  'g::',
  '1.2.3.4::',
  '::1.2.3.4:5',
  '[::1',
  '::1]',
  '[::1]80',
  '[::1]:',
  '[]',
  '１.2.3.4',
  '__proto__',
  `${'1'.repeat(10_000)}.2.3.4`,
  `::1%${'z'.repeat(10_000)}`,
])('%j is no address', (text) => {
  expect(readAddress(text)).toBeUndefined();
});
