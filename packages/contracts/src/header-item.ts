import { type } from 'arktype';
import { bookingMaxRows } from './booking.ts';
import { acceptedAtMsOf } from './booking-id.ts';
import { cutPattern, rowsInCut } from './cut.ts';
import { AccountId, BookingId, BookingMode, Count, Instant, Window } from './fields.ts';

/** A booking's header, which is also the record of its idempotency key. */
export const HeaderItem = type({
  bookingId: BookingId,
  accountId: AccountId,
  acceptedAt: Instant,
  window: Window,
  mode: BookingMode,
  /** Rows of the whole booking. */
  total: Count,
  /** Rows of each chunk ({@link cutText}). */
  cut: cutPattern,
  /** {@link import('./digest.ts').bookingDigest} of the payload. */
  digest: /^[0-9a-f]{64}$/,
  state: "'accepting' | 'accepted'",
  /** Until then only the attempt named by the nonce may send; 0 once it gave up, absent once accepted. */
  'leaseUntilMs?': Count,
  /**
   * Rows granted and rejected in the first `countedChunks` chunks, all of which are decided. Readers write them;
   * verdicts never change. Once all chunks are counted the booking is decided.
   */
  'counts?': { granted: Count, rejected: Count },
  'countedChunks?': Count,
  /** Names the attempt that holds the lease. */
  nonce: 'string > 0',
  /** DynamoDB's TTL: epoch seconds. */
  expiresAt: Count,
}).narrow(({ bookingId, acceptedAt, total, cut }, ctx) => {
  if (acceptedAtMsOf(bookingId) !== Date.parse(acceptedAt)) {
    return ctx.reject({ expected: 'the instant that bookingId carries', relativePath: ['acceptedAt'] });
  }
  const isWhole = total <= bookingMaxRows && rowsInCut(cut) === total;
  return isWhole || ctx.reject({ expected: `chunks of ${total} rows together`, relativePath: ['cut'] });
});
export type HeaderItem = typeof HeaderItem.infer;

/** The sort key of a header in the index `byAccount`: newest last. */
export function listKeyOf(header: Pick<HeaderItem, 'acceptedAt' | 'bookingId'>): string {
  return `${header.acceptedAt}#${header.bookingId}`;
}
