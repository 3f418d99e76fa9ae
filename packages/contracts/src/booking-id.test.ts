import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acceptedAtMsOf, bookingIdOf, bookingKeyFor, bookingKeyOf } from './booking-id.ts';
import { BookingId } from './fields.ts';

const noonMs = Date.parse('2026-11-29T12:00:00.000Z');

test('booking keys differ wherever account or idempotency key do', () => {
  expect(bookingKeyFor('acme', 'key-1')).toBe('bk_uhqo3wzdj7abpcrstvlg4cuuaf');
  const part = fc.string({ unit: fc.constantFrom('a', 'b', '|', '.'), maxLength: 3 });
  fc.assert(
    fc.property(part, part, part, part, (a, b, c, d) => {
      expect(bookingKeyFor(a, b) === bookingKeyFor(c, d)).toBe(a === c && b === d);
    }),
  );
});

test('a booking id gives back its key and its instant', () => {
  const key = bookingKeyFor('acme', 'key-1');
  expect(bookingIdOf(key, noonMs)).toBe(`${key}buits2jqa`);
  const instant = fc.integer({ min: 0, max: 2 ** 45 - 1 });
  fc.assert(
    fc.property(instant, (ms) => {
      const id = bookingIdOf(key, ms);
      expect(BookingId.allows(id)).toBe(true);
      expect([bookingKeyOf(id), acceptedAtMsOf(id)]).toEqual([key, ms]);
    }),
  );
});

test('one key at two instants makes two ids', () => {
  const key = bookingKeyFor('acme', 'key-1');
  expect(bookingIdOf(key, noonMs)).not.toBe(bookingIdOf(key, noonMs + 1));
});

test.each([-1, 0.5, Number.NaN, 2 ** 45])('%s is no instant that an id can carry', (ms) => {
  expect(() => bookingIdOf(bookingKeyFor('acme', 'key-1'), ms)).toThrow(RangeError);
});
