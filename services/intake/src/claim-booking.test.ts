import { bookingIdOf, bookingKeyFor, type HeaderItem } from '@usher/contracts';
import { expect, test } from 'vitest';
import { claimBooking } from './claim-booking.ts';
import type { HeaderStore } from './header-store.ts';

const nowMs = Date.parse('2026-11-29T12:00:00.000Z');

function headerOf(fields: Partial<HeaderItem>): HeaderItem {
  return {
    bookingId: bookingIdOf(bookingKeyFor('acme', 'k'), Date.parse('2026-11-29T11:59:00.000Z')),
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
    cut: '1',
    digest: 'd'.repeat(64),
    state: 'accepting',
    leaseUntilMs: nowMs - 1,
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
    readAll: async () => new Map(),
    create: lose,
    takeOver: lose,
    giveUp: lose,
    markAccepted: lose,
    keepCounts: lose,
    list: async () => [],
  };
}

test('an attempt that loses the take-over to another is busy until that one ends', async () => {
  const winner = headerOf({ nonce: 'winner', leaseUntilMs: nowMs + 30_000 });
  const wanted = headerOf({ nonce: 'mine', leaseUntilMs: nowMs + 30_000 });
  const claim = await claimBooking(losingStore(winner), wanted, headerOf({}), nowMs);
  expect(claim).toMatchObject({ kind: 'refused', problem: 'booking-busy' });
});

test('an attempt that loses the take-over to one that has finished by then is a repeat', async () => {
  const { leaseUntilMs: _, ...accepted } = headerOf({ nonce: 'winner', state: 'accepted' });
  const claim = await claimBooking(losingStore(accepted), headerOf({ nonce: 'mine' }), headerOf({}), nowMs);
  expect(claim).toEqual({ kind: 'accepted', header: accepted });
});

test('an attempt that loses every time is busy, after a bounded number of tries', async () => {
  const claim = await claimBooking(losingStore(headerOf({})), headerOf({ nonce: 'mine' }), undefined, nowMs);
  expect(claim).toMatchObject({ kind: 'refused', problem: 'booking-busy' });
});

test('a resumed booking keeps the id and the instant of the header that is found, whatever the clock says', async () => {
  const store = { ...losingStore(headerOf({})), takeOver: async () => true };
  const wanted = headerOf({
    nonce: 'mine',
    acceptedAt: '2026-11-29T12:00:00.000Z',
    bookingId: bookingIdOf(bookingKeyFor('acme', 'k'), nowMs),
  });
  const claim = await claimBooking(store, wanted, headerOf({}), nowMs);
  const { bookingId, acceptedAt } = headerOf({});
  expect(claim).toMatchObject({ kind: 'claimed', header: { bookingId, acceptedAt, nonce: 'mine' } });
});

test('where the table fails, the header that the lease may be on is told, so that it can be given up', async () => {
  const failing = { ...losingStore(headerOf({})), takeOver: () => Promise.reject(new Error('down')) };
  const wanted = headerOf({ nonce: 'mine', acceptedAt: '2026-11-29T12:00:00.000Z' });
  const claim = await claimBooking(failing, wanted, headerOf({}), nowMs);
  expect(claim).toMatchObject({ kind: 'unclaimed', header: { acceptedAt: headerOf({}).acceptedAt, nonce: 'mine' } });
});
