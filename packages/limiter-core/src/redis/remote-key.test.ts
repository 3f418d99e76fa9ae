import { expect, test } from 'vitest';
import { maxKeyBytes, remoteKey } from './remote-key.ts';

const named = (key: string): string => remoteKey({ prefix: 'limits:', limiter: 'api', key });

test('a key stands for itself up to the most bytes, however many characters they are', () => {
  expect(named('user:1')).toBe('limits:api:user:1');
  expect(named('a'.repeat(maxKeyBytes))).toBe(`limits:api:${'a'.repeat(maxKeyBytes)}`);
  expect(named('ü'.repeat(maxKeyBytes / 2))).toBe(`limits:api:${'ü'.repeat(maxKeyBytes / 2)}`);
  expect(named('a'.repeat(maxKeyBytes + 1))).toMatch(/^limits:api~[0-9a-f]{64}$/);
  expect(named('ü'.repeat(maxKeyBytes / 2 + 1))).toMatch(/^limits:api~[0-9a-f]{64}$/);
});

test('two long keys have two names, and none is that of a short key', () => {
  const long = named('a'.repeat(2_000));
  expect(named(`${'a'.repeat(1_999)}b`)).not.toBe(long);
  expect(named(long.slice('limits:api~'.length))).not.toBe(long);
});
