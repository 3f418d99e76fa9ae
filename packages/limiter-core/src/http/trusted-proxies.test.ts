import { expect, test } from 'vitest';
import { InvalidArgumentError } from '../errors.ts';
import { callerAt } from './address.ts';
import { callerFinder, type Route, type TrustedProxies } from './trusted-proxies.ts';

const peer = '10.0.0.1';

function callerOf(trusted: TrustedProxies | undefined, route: Route): string | undefined {
  const address = callerFinder(trusted)(route);
  return address && callerAt(address);
}

test.each([undefined, 0, []])('nobody is believed who is not trusted: %j', (trusted) => {
  expect(callerOf(trusted, { peer, forwardedFor: '203.0.113.7' })).toBe(peer);
});

test.each([
  [1, '203.0.113.7', '203.0.113.7'],
  [1, '6.6.6.6, 203.0.113.7', '203.0.113.7'],
  [1, '6.6.6.6,,203.0.113.7, ', '203.0.113.7'],
  [1, ['6.6.6.6', '203.0.113.7'], '203.0.113.7'],
  [1, ['6.6.6.6, 203.0.113.7'], '203.0.113.7'],
  [2, '6.6.6.6, 203.0.113.7, 10.0.0.2', '203.0.113.7'],
  [1, '203.0.113.7:49152', '203.0.113.7'],
  [1, '  203.0.113.7\t', '203.0.113.7'],
  [1, `${'6.6.6.6, '.repeat(1200)}203.0.113.7`, '203.0.113.7'],
])('%j trusted proxies that say %j name %s', (trusted, forwardedFor, expected) => {
  expect(callerOf(trusted, { peer, forwardedFor })).toBe(expected);
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['6.6.6.6, 203.0.113.7', '203.0.113.7'],
  ['10.9.9.9, 203.0.113.7, 10.0.0.2', '203.0.113.7'],
  ['203.0.113.7, 10.0.0.3, ::ffff:10.0.0.2', '203.0.113.7'],
  ['10.0.0.3, 10.0.0.2', '10.0.0.3'],
])('the last address of %j that is no trusted proxy is %s', (forwardedFor, expected) => {
  expect(callerOf(['10.0.0.0/8'], { peer, forwardedFor })).toBe(expected);
});

test('a peer outside the list is the caller, whatever he says', () => {
  expect(callerOf(['10.0.0.0/8'], { peer: '11.0.0.1', forwardedFor: '203.0.113.7' })).toBe('11.0.0.1');
});

test.each(['unknown', '_hidden', 'nonsense', 'x'.repeat(10_000), ''])(
  'a trusted proxy that names no address is the caller itself: %j',
  (forwardedFor) => {
    expect(callerOf(1, { peer, forwardedFor })).toBe(peer);
    expect(callerOf(['10.0.0.0/8'], { peer, forwardedFor: `6.6.6.6, ${forwardedFor}, 10.0.0.2` })).toBe(
      forwardedFor === '' ? '6.6.6.6' : '10.0.0.2',
    );
  },
);

test('nothing more is believed than there are trusted proxies, also where the header is shorter or absent', () => {
  expect(callerOf(3, { peer, forwardedFor: '203.0.113.7' })).toBe('203.0.113.7');
  expect(callerOf(3, { peer })).toBe(peer);
});

test('a peer without an address, such as a local socket, can be counted but not listed', () => {
  expect(callerOf(1, { peer: undefined, forwardedFor: '203.0.113.7' })).toBe('203.0.113.7');
  expect(callerOf(['10.0.0.0/8'], { peer: undefined, forwardedFor: '203.0.113.7' })).toBeUndefined();
});

test.each([
  ['10.0.0.1', '10.0.0.1', true],
  ['10.0.0.1', '10.0.0.2', false],
  ['10.0.0.0/8', '::ffff:10.255.0.1', true],
  ['::ffff:10.0.0.0/104', '10.255.0.1', true],
  ['10.0.0.0/31', '10.0.0.1', true],
  ['10.0.0.0/31', '10.0.0.2', false],
  ['172.16.0.0/12', '172.31.255.255', true],
  ['172.16.0.0/12', '172.32.0.0', false],
  ['0.0.0.0/0', '8.8.8.8', true],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['FD00::/8', 'fd12::1', true],
  ['fd00::/8', 'fe80::1', false],
  ['2001:db8::/33', '2001:db8:7fff::1', true],
  ['2001:db8::/33', '2001:db8:8000::1', false],
])('%s has %s: %s', (prefix, address, expected) => {
  const caller = callerOf([prefix], { peer: address, forwardedFor: '203.0.113.7' });
  expect(caller === '203.0.113.7').toBe(expected);
});

test.each([
  -1,
  1.5,
  Number.NaN,
  ['10.0.0.0/33'],
  ['fd00::/129'],
  ['::ffff:10.0.0.0/95'],
  ['10.0.0.0/'],
  ['10.0.0.0/-1'],
  ['10.0.0.0/8/8'],
  ['proxy.example'],
  ['10.0.0.1', ''],
])('trusted proxies cannot be %j', (trusted) => {
  expect(() => callerFinder(trusted)).toThrow(InvalidArgumentError);
});

test.each([true, 'loopback', null, {}])('a caller that knows no types is told that they cannot be %j', (trusted) => {
  expect(() => Reflect.apply(callerFinder, undefined, [trusted])).toThrow('trustProxies must be');
});
