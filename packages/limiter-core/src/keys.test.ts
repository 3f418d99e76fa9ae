import { expect, test } from 'vitest';
import { chunkIdOf, chunkKeyOf, keys } from './keys.ts';

test('a chunk id names its chunk, also where the booking id holds the separator', () => {
  for (const key of [
    { bookingId: 'bk_a', chunk: 0 },
    { bookingId: 'a#b', chunk: 99 },
  ]) {
    expect(chunkKeyOf(chunkIdOf(key))).toEqual(key);
  }
});

test('sort keys of ledger items ascend with the chunk, up to the last of a full booking', () => {
  const sortKeys = [0, 9, 10, 99, 9999].map((chunk) => keys.ledger({ bookingId: 'bk_a', chunk }).sk);
  expect([...sortKeys].sort()).toEqual(sortKeys);
  expect(sortKeys.every((sk) => sk.startsWith(keys.ledgerPrefix))).toBe(true);
});

test('an account, its policy, a header and a bucket never share a key', () => {
  const all = [keys.account('x'), keys.policy('x'), keys.header('x'), keys.bucket('x', 'x')];
  expect(new Set(all.map(({ pk, sk }) => `${pk} ${sk}`)).size).toBe(all.length);
});
