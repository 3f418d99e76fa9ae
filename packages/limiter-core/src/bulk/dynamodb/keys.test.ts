import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keys } from './keys.ts';

test('sort keys of ledger items ascend with the chunk, up to the last of a full booking', () => {
  const sortKeys = [0, 9, 10, 99, 9999].map((chunk) => keys.ledger({ bookingId: 'bk_a', chunkIndex: chunk }).sk);
  expect([...sortKeys].sort()).toEqual(sortKeys);
});

test('the keys are those that are stored', () => {
  const chunk = { bookingId: 'bk_a', chunkIndex: 12 };
  expect([keys.account('acme'), keys.policy('acme'), keys.header('bk_k'), keys.ledger(chunk), keys.hop(chunk)]).toEqual(
    [
      { pk: 'account#acme', sk: 'quota' },
      { pk: 'policy#acme', sk: 'current' },
      { pk: 'booking#bk_k', sk: 'header' },
      { pk: 'ledger#bk_a', sk: 'c#00012' },
      { pk: 'pacing#bk_a#12', sk: 'hop' },
    ],
  );
});

test('every kind of item has a prefix of its own', () => {
  const chunk = { bookingId: 'x', chunkIndex: 0 };
  const all = [
    keys.account('x'),
    keys.policy('x'),
    keys.header('x'),
    keys.ledger(chunk),
    keys.hop(chunk),
    keys.bucket('x', 'x'),
  ];
  expect(new Set(all.map(({ pk }) => pk.split('#', 1)[0])).size).toBe(all.length);
});

test('two limiters or keys that differ in any way have buckets of their own, also as stored', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', '#', '%', '%23;', ';', '2', '3', '\ud800', '\ud801', '\ufffd', '😀', ''),
  });
  const stored = (name: string, key: string) => Buffer.from(keys.bucket(name, key).pk).toString('hex');
  fc.assert(
    fc.property(text, text, text, text, (name, key, otherName, otherKey) => {
      fc.pre(name !== otherName || key !== otherKey);
      expect(stored(name, key)).not.toBe(stored(otherName, otherKey));
    }),
    { numRuns: 5000 },
  );
});

test('a part of a key that was cut differently is another key', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', '#', '%'), minLength: 2 }),
      fc.nat(),
      fc.nat(),
      (joined, i, j) => {
        const hashes = [...joined].flatMap((char, at) => (char === '#' ? [at] : []));
        fc.pre(hashes.length > 1);
        const [one = 0, other = 0] = [hashes[i % hashes.length], hashes[j % hashes.length]];
        fc.pre(one !== other);
        const cut = (at: number) => keys.bucket(joined.slice(0, at), joined.slice(at + 1)).pk;
        expect(cut(one)).not.toBe(cut(other));
      },
    ),
  );
});
