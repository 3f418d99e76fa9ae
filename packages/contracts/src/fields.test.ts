import { expect, test } from 'vitest';
import { AccountId, BookingId, IdempotencyKey, Instant, PlainDate, Window } from './fields.ts';

test.for([
  ['acme', true],
  ['auth0|user@example.com', true],
  ['__proto__', true],
  ['constructor', true],
  ['x'.repeat(128), true],
  ['x'.repeat(129), false],
  ['', false],
  ['a#b', false],
  ['a b', false],
  ['é', false],
  ['acme\n', false],
] as const)('%j is an account id: %s', ([id, valid]) => {
  expect(AccountId.allows(id)).toBe(valid);
});

test('booking ids, keys, days and instants have one form each', () => {
  expect(BookingId.allows(`bk_${'a2'.repeat(17)}a`)).toBe(true);
  for (const id of [`bk_${'a'.repeat(34)}`, `bk_${'A'.repeat(35)}`, `bk_${'1'.repeat(35)}`, `bk_${'a'.repeat(35)}\n`]) {
    expect(BookingId.allows(id)).toBe(false);
  }
  expect(IdempotencyKey.allows('!~')).toBe(true);
  for (const key of ['', ' ', 'a b', 'é', '\u007f', 'k'.repeat(256)]) expect(IdempotencyKey.allows(key)).toBe(false);
  expect(PlainDate.allows('2028-02-29')).toBe(true);
  for (const day of ['2027-02-29', '2026-11-31', '26-11-29', '2026-11-29T00:00'])
    expect(PlainDate.allows(day)).toBe(false);
  expect(Instant.allows('2026-11-29T23:59:59.999Z')).toBe(true);
  for (const instant of ['2026-11-29T24:00:00.000Z', '2026-11-29T12:00:60.000Z', '2026-11-29T12:00:00.000+00:00']) {
    expect(Instant.allows(instant)).toBe(false);
  }
});

const bounds = { date: '2026-11-29', startsAt: '2026-11-29T00:00:00.000Z', resetsAt: '2026-11-30T00:00:00.000Z' };

test.each([
  ['UTC', true],
  ['Europe/Berlin', true],
  ['Nowhere/UTC', false],
  ['c4n4ryUTC', false],
])('a window in zone %s is one: %s', (timezone, expected) => {
  expect(Window.allows({ ...bounds, timezone })).toBe(expected);
});
