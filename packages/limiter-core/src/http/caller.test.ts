import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InvalidArgumentError } from '../errors.ts';
import { assertKey } from '../limiter/key.ts';
import { addressKey, keyOfAddress, keyOfClaims, tokenKey } from './caller.ts';

const text = fc.string({
  unit: fc.constantFrom('a', '"', ',', '\\', '[', ']', ':', '\ud800', '\u0000', ' '),
  minLength: 1,
});
const claims = fc.record({ iss: text, sub: text });

test('two pairs of issuer and subject never have one key, and every key is one that a limiter takes', () => {
  fc.assert(
    fc.property(claims, claims, (a, b) => {
      expect(tokenKey(a) === tokenKey(b)).toBe(a.iss === b.iss && a.sub === b.sub);
      assertKey(tokenKey(a));
    }),
    { numRuns: 1000 },
  );
});

test('a subject that looks like an address has not the key of that address', () => {
  for (const sub of ['192.0.2.7', addressKey('192.0.2.7')]) {
    expect(tokenKey({ iss: 'https://issuer.example', sub })).not.toBe(addressKey('192.0.2.7'));
  }
});

test.each([
  ['no claims', undefined],
  ['null', null],
  ['a string', '{"iss":"i","sub":"s"}'],
  ['no issuer', { sub: 's' }],
  ['no subject', { iss: 'i' }],
  ['an empty issuer', { iss: '', sub: 's' }],
  ['an empty subject', { iss: 'i', sub: '' }],
  ['a subject that is a number', { iss: 'i', sub: 7 }],
  ['a subject that is a list', { iss: 'i', sub: ['s'] }],
  ['a subject that is an object', { iss: 'i', sub: { toString: () => 's' } }],
  ['claims that are inherited', Object.create({ iss: 'i', sub: 's' })],
  ['claims within __proto__', JSON.parse('{"__proto__": {"iss": "i", "sub": "s"}}')],
])('%s name nobody', (_name, given) => {
  expect(keyOfClaims(given)).toBeUndefined();
});

test('claims of a token without a prototype name its owner', () => {
  expect(keyOfClaims(Object.assign(Object.create(null), { iss: 'i', sub: '__proto__' }))).toBe(
    'token:["i","__proto__"]',
  );
});

test('the keys are as they are told', () => {
  expect(tokenKey({ iss: 'https://issuer.example', sub: 'ada' })).toBe('token:["https://issuer.example","ada"]');
  expect(addressKey('::ffff:192.0.2.7')).toBe('address:192.0.2.7');
  expect(addressKey('2001:db8:0:ab12::1')).toBe('address:2001:db8:0:ab00::/56');
});

test('those of whom nothing is known share a key, which is no address', () => {
  expect(keyOfAddress(undefined)).toBe('address:unknown');
  expect(() => addressKey('unknown')).toThrow(InvalidArgumentError);
});

test('a key is made of an issuer and a subject, or not at all', () => {
  expect(() => tokenKey({ iss: '', sub: 'ada' })).toThrow(InvalidArgumentError);
});
