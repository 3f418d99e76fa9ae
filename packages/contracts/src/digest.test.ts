import { expect, test } from 'vitest';
import { meaningOf } from './booking.ts';
import { Chunk } from './chunk.ts';
import { bookingDigest, chunkDigest } from './digest.ts';
import { chunk } from './testing/chunk.ts';

test("a booking's digest is that of its meaning", () => {
  const digest = bookingDigest(meaningOf({ reservations: [{ id: 'a' }] }));
  expect(bookingDigest(meaningOf({ mode: 'partial', reservations: [{ id: 'a', cost: 1 }] }))).toBe(digest);
  expect(bookingDigest(meaningOf({ reservations: [{ id: 'a', details: {} }] }))).not.toBe(digest);
  expect(bookingDigest(meaningOf({ mode: 'all-or-nothing', reservations: [{ id: 'a' }] }))).not.toBe(digest);
});

test("a chunk's digest is that of its meaning, not of its spelling", () => {
  const digest = chunkDigest(chunk);
  expect(digest).toMatch(/^[0-9a-f]{32}$/);
  const { reservations, ...rest } = chunk;
  const [first, second] = reservations;
  const reordered = { reservations: [{ details: { a: 'x', b: 1 }, cost: 2, id: first?.id }, second], ...rest };
  expect(chunkDigest(Chunk.assert(reordered))).toBe(digest);
});

test.for<[string, Partial<Chunk>]>([
  ['account', { accountId: 'other' }],
  ['number', { chunk: 1 }],
  ['mode', { mode: 'all-or-nothing' }],
  ['acceptance', { acceptedAt: '2026-11-29T12:00:00.001Z' }],
  [
    'cost',
    {
      reservations: [
        { id: 'A-17', cost: 3, details: { b: 1, a: 'x' } },
        { id: 'A-18', cost: 1 },
      ],
    },
  ],
  ['order', { reservations: chunk.reservations.toReversed() }],
])('a chunk of another %s has another digest', ([, fields]) => {
  expect(chunkDigest({ ...chunk, ...fields })).not.toBe(chunkDigest(chunk));
});
