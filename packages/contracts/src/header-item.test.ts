import { expect, test } from 'vitest';
import { bookingIdOf, bookingKeyFor } from './booking-id.ts';
import { HeaderItem } from './header-item.ts';

const acceptedAt = '2026-11-29T12:00:00.000Z';
const key = bookingKeyFor('acme', 'key-1');

const header: HeaderItem = {
  bookingId: bookingIdOf(key, Date.parse(acceptedAt)),
  accountId: 'acme',
  acceptedAt,
  window: {
    date: '2026-11-29',
    timezone: 'UTC',
    startsAt: '2026-11-29T00:00:00.000Z',
    resetsAt: '2026-11-30T00:00:00.000Z',
  },
  mode: 'partial',
  total: 937,
  cut: '100x9,37',
  digest: 'd'.repeat(64),
  state: 'accepted',
  nonce: 'n',
  expiresAt: 1_803_729_600,
};

test('a header is read as it is', () => {
  expect(HeaderItem(structuredClone(header))).toEqual(header);
});

test.for<[string, object]>([
  ['an instant that its id does not carry', { acceptedAt: '2026-11-29T12:00:00.001Z' }],
  ['the id of an earlier acceptance', { bookingId: bookingIdOf(key, Date.parse(acceptedAt) - 1) }],
  ['the key alone as its id', { bookingId: key }],
  ['a cut of fewer rows', { cut: '100x9,36' }],
  ['a cut of more rows', { cut: '100x9,38' }],
  ['a cut that would fill the memory', { cut: '1x99999', total: 99_999 }],
  ['no cut', { cut: '' }],
])('a header with %s is refused', ([, fields]) => {
  expect(HeaderItem.allows({ ...header, ...fields })).toBe(false);
});
