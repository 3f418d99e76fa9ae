import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Reservation } from './booking.ts';
import { Chunk, chunkDigest, chunkMaxBytes, chunkMaxRows, cutChunks } from './chunk.ts';
import { utf8Bytes } from './text.ts';

const chunk: Chunk = {
  v: 1,
  kind: 'chunk',
  bookingId: `bk_${'a'.repeat(32)}`,
  chunk: 0,
  chunks: 2,
  accountId: 'acme',
  acceptedAt: '2026-11-29T12:00:00.000Z',
  window: {
    date: '2026-11-29',
    timezone: 'Europe/Berlin',
    startsAt: '2026-11-28T23:00:00.000Z',
    resetsAt: '2026-11-29T23:00:00.000Z',
  },
  mode: 'partial',
  reservations: [
    { id: 'A-17', cost: 2, details: { b: 1, a: 'x' } },
    { id: 'A-18', cost: 1 },
  ],
};

const rowsOf = (sizes: readonly number[]): Reservation[] =>
  sizes.map((size, row) => ({ id: `r${row}`, cost: 1, details: { n: '𝄞'.repeat(size) } }));

test('a chunk as intake sends it is read as it is', () => {
  expect(Chunk(JSON.parse(JSON.stringify(chunk)))).toEqual(chunk);
});

test.for<[string, object]>([
  ['another version', { v: 2 }],
  ['another kind', { kind: 'refund' }],
  ['an unknown field', { note: 1 }],
  ['a malformed booking id', { bookingId: 'bk_1' }],
  ['an account id that could shape a key', { accountId: 'a#b' }],
  ['a chunk number that is none of the booking', { chunk: 2 }],
  ['a day that does not exist', { window: { ...chunk.window, date: '2026-02-30' } }],
  ['a window that ends before it starts', { window: { ...chunk.window, resetsAt: chunk.window.startsAt } }],
  ['an instant without milliseconds', { acceptedAt: '2026-11-29T12:00:00Z' }],
  ['no rows', { reservations: [] }],
  ['a row without a cost', { reservations: [{ id: 'a' }] }],
  ['a row twice', { reservations: [...chunk.reservations, { id: 'A-17', cost: 1 }] }],
  ['101 rows', { reservations: rowsOf(new Array(101).fill(0)) }],
])('a chunk with %s is refused', ([, fields]) => {
  expect(Chunk.allows({ ...chunk, ...fields })).toBe(false);
});

test('chunks are full slices of the rows, in order, within both bounds', () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 400, size: 'max' });
  fc.assert(
    fc.property(sizes, (list) => {
      const rows = rowsOf(list);
      const chunks = cutChunks(rows);
      expect(chunks.flat()).toEqual(rows);
      for (const [index, slice] of chunks.entries()) {
        expect(slice.length).toBeLessThanOrEqual(chunkMaxRows);
        expect(utf8Bytes(JSON.stringify(slice))).toBeLessThanOrEqual(chunkMaxBytes);
        const [next] = chunks[index + 1] ?? [];
        const isFull = slice.length === chunkMaxRows || utf8Bytes(JSON.stringify([...slice, next])) > chunkMaxBytes;
        expect(next === undefined || isFull).toBe(true);
      }
    }),
    { numRuns: 30 },
  );
});

test('the digest is that of the meaning, not of its spelling', () => {
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
])('another %s is another digest', ([, fields]) => {
  expect(chunkDigest({ ...chunk, ...fields })).not.toBe(chunkDigest(chunk));
});
