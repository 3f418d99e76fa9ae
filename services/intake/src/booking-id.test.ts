import { BookingId } from '@usher/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bookingIdOf } from './booking-id.ts';

test('booking ids are well formed and differ wherever account or key do', () => {
  expect(bookingIdOf('acme', 'key-1')).toMatch(/^bk_[a-z2-7]{32}$/);
  const part = fc.string({ unit: fc.constantFrom('a', 'b', '|', '.'), maxLength: 3 });
  fc.assert(
    fc.property(part, part, part, part, (a, b, c, d) => {
      expect(BookingId.allows(bookingIdOf(a, b))).toBe(true);
      expect(bookingIdOf(a, b) === bookingIdOf(c, d)).toBe(a === c && b === d);
    }),
  );
});
