import type { Chunk } from '../chunk.ts';

/** The first of two chunks, of two rows. */
export const chunk: Chunk = {
  v: 1,
  kind: 'chunk',
  bookingId: `bk_${'a'.repeat(26)}buits2jqa`,
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
