import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Reservation } from './booking.ts';
import { Chunk, chunkMaxBytes, chunkMaxRows, cutChunks } from './chunk.ts';
import { chunk } from './testing/chunk.ts';
import { utf8Bytes } from './text.ts';

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
  ['an instant that is not its id’s', { acceptedAt: '2026-11-29T12:00:00.001Z' }],
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
