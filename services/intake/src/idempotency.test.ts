import { BookingId, type HeaderItem, meaningOf } from '@usher/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HeaderStore } from './header-store.ts';
import { bookingIdOf, claimBooking, payloadDigest } from './idempotency.ts';

const nowMs = Date.parse('2026-11-29T12:00:00.000Z');

function headerOf(fields: Partial<HeaderItem>): HeaderItem {
  return {
    bookingId: bookingIdOf('acme', 'k'),
    accountId: 'acme',
    acceptedAt: '2026-11-29T11:59:00.000Z',
    window: {
      date: '2026-11-29',
      timezone: 'UTC',
      startsAt: '2026-11-29T00:00:00.000Z',
      resetsAt: '2026-11-30T00:00:00.000Z',
    },
    mode: 'partial',
    total: 1,
    chunks: 1,
    digest: 'd'.repeat(64),
    state: 'accepting',
    leaseUntil: nowMs - 1,
    nonce: 'seen',
    expiresAt: nowMs / 1000 + 1000,
    ...fields,
  };
}

/** A store in which every conditional write loses, and every read finds the given header. */
function losingStore(found: HeaderItem): HeaderStore {
  const lose = async () => false;
  return {
    read: async () => found,
    create: lose,
    takeOver: lose,
    giveUp: lose,
    markAccepted: lose,
    keepCounts: lose,
    list: async () => [],
  };
}

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

test('the digest is that of the meaning', () => {
  const digest = payloadDigest(meaningOf({ reservations: [{ id: 'a' }] }));
  expect(payloadDigest(meaningOf({ mode: 'partial', reservations: [{ id: 'a', cost: 1 }] }))).toBe(digest);
  expect(payloadDigest(meaningOf({ reservations: [{ id: 'a', details: {} }] }))).not.toBe(digest);
  expect(payloadDigest(meaningOf({ mode: 'all-or-nothing', reservations: [{ id: 'a' }] }))).not.toBe(digest);
});

test('who loses the take-over to another attempt is told to wait for that one', async () => {
  const winner = headerOf({ nonce: 'winner', leaseUntil: nowMs + 30_000 });
  const wanted = headerOf({ nonce: 'mine', leaseUntil: nowMs + 30_000 });
  const claim = await claimBooking(losingStore(winner), wanted, headerOf({}), nowMs);
  expect(claim).toEqual({ kind: 'busy' });
});

test('who loses the take-over to an attempt that has finished by then is answered as a repeat', async () => {
  const { leaseUntil: _, ...accepted } = headerOf({ nonce: 'winner', state: 'accepted' });
  const claim = await claimBooking(losingStore(accepted), headerOf({ nonce: 'mine' }), headerOf({}), nowMs);
  expect(claim).toEqual({ kind: 'accepted', header: accepted });
});

test('who loses every time is told to wait, after a bounded number of tries', async () => {
  const claim = await claimBooking(losingStore(headerOf({})), headerOf({ nonce: 'mine' }), undefined, nowMs);
  expect(claim.kind).toBe('busy');
});
