import { bookingIdOf, bookingKeyFor, chunkDigest, chunkMaxRows } from '@usher/contracts';
import { builtInPolicy, type ChunkToSettle, toRfc3339, windowAt } from '@usher/limiter-core/bulk';
import type { AccountWork } from './work.ts';

/** One booking of the account, cut into chunks as intake does, with the ids and the digests that it makes. */
export function chunksOf({ accountId, reservationIds }: AccountWork, acceptedAtMs: number): ChunkToSettle[] {
  const bookingId = bookingIdOf(bookingKeyFor(accountId, 'bench'), acceptedAtMs);
  const { timezone } = builtInPolicy;
  const { date, startsAt, resetsAt } = windowAt(acceptedAtMs, timezone);
  const chunks = Math.ceil(reservationIds.length / chunkMaxRows);
  return Array.from({ length: chunks }, (_, chunk) => {
    const ids = reservationIds.slice(chunk * chunkMaxRows, (chunk + 1) * chunkMaxRows);
    const rows = ids.map((id) => ({ id, cost: 1 }));
    const digest = chunkDigest({
      v: 1,
      kind: 'chunk',
      bookingId,
      chunk,
      chunks,
      accountId,
      acceptedAt: toRfc3339(acceptedAtMs),
      window: { date, timezone, startsAt, resetsAt },
      mode: 'partial',
      reservations: rows,
    });
    return { bookingId, chunkIndex: chunk, digest, acceptedAtMs, date, bookingMode: 'partial', rows };
  });
}
