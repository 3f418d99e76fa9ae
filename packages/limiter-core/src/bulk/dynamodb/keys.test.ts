import { expect, test } from 'vitest';
import { keys, limitKeys } from './keys.ts';

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
    { pk: `${limitKeys.prefix}x:x` },
  ];
  expect(new Set(all.map(({ pk }) => pk.split('#', 1)[0])).size).toBe(all.length);
});
