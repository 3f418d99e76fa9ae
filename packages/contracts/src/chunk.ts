import { type } from 'arktype';
import { type BookingMeaning, indexOfRepeat, Reservation } from './booking.ts';
import { acceptedAtMsOf } from './booking-id.ts';
import { AccountId, BookingId, BookingMode, ChunkIndex, Instant, Window } from './fields.ts';
import { utf8Bytes } from './text.ts';
import { windowProblem } from './window-rule.ts';

/** The most rows that one chunk carries. */
export const chunkMaxRows = 100;
/** The most UTF-8 bytes that the JSON of a chunk's rows takes; five such chunks fit one SendMessageBatch of 1 MiB. */
export const chunkMaxBytes = 200 * 1024;

/** A slice of a booking: one message on `bookings.fifo`, the unit of idempotency. */
export const Chunk = type({
  '+': 'reject',
  v: '1',
  kind: "'chunk'",
  bookingId: BookingId,
  chunk: ChunkIndex,
  chunks: '1 <= number.integer <= 100000',
  accountId: AccountId,
  acceptedAt: Instant,
  window: Window,
  mode: BookingMode,
  reservations: Reservation.array().atLeastLength(1).atMostLength(chunkMaxRows),
}).narrow((message, ctx) => {
  if (message.chunk >= message.chunks) return ctx.reject({ expected: 'below chunks', relativePath: ['chunk'] });
  if (acceptedAtMsOf(message.bookingId) !== Date.parse(message.acceptedAt)) {
    return ctx.reject({ expected: 'the instant that bookingId carries', relativePath: ['acceptedAt'] });
  }
  const problem = windowProblem(message);
  if (problem !== undefined) return ctx.reject({ expected: problem.expected, relativePath: [...problem.path] });
  const repeated = indexOfRepeat(message.reservations);
  return repeated < 0 || ctx.reject({ expected: 'unique', relativePath: ['reservations', repeated, 'id'] });
});
export type Chunk = typeof Chunk.infer;

/** Cuts a booking's rows into slices, one for each chunk. Its header keeps the cut for all later attempts. */
export function cutChunks(rows: BookingMeaning['reservations']): Reservation[][] {
  const chunks: Reservation[][] = [];
  let current: Reservation[] = [];
  let bytes = 2; // the array's brackets
  for (const row of rows) {
    const rowBytes = utf8Bytes(JSON.stringify(row)) + 1;
    if (current.length > 0 && (current.length === chunkMaxRows || bytes + rowBytes > chunkMaxBytes)) {
      chunks.push(current);
      current = [];
      bytes = 2;
    }
    current.push(row);
    bytes += rowBytes;
  }
  if (current.length > 0) chunks.push(current);
  return chunks;
}
