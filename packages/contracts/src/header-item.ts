import { type } from 'arktype';
import { acceptedAtMsOf } from './booking-id.ts';
import { AccountId, BookingId, BookingMode, Count, Instant, Window } from './fields.ts';

/** A booking's header, which is also the record of its idempotency key. */
export const HeaderItem = type({
  bookingId: BookingId,
  accountId: AccountId,
  acceptedAt: Instant,
  window: Window,
  mode: BookingMode,
  /** Rows and chunks of the whole booking. */
  total: Count,
  chunks: Count,
  /** {@link import('./digest.ts').bookingDigest} of the payload. */
  digest: /^[0-9a-f]{64}$/,
  state: "'accepting' | 'accepted'",
  /** Until then only the attempt named by the nonce may send; 0 once it gave up, absent once accepted. */
  'leaseUntilMs?': Count,
  /** Rows granted and rejected. The first reader that sees every chunk decided writes them; verdicts never change. */
  'counts?': { granted: Count, rejected: Count },
  /** Names the attempt that holds the lease. */
  nonce: 'string > 0',
  /** DynamoDB's TTL: epoch seconds. */
  expiresAt: Count,
}).narrow(
  ({ bookingId, acceptedAt }, ctx) =>
    acceptedAtMsOf(bookingId) === Date.parse(acceptedAt) ||
    ctx.reject({ expected: 'the instant that bookingId carries', relativePath: ['acceptedAt'] }),
);
export type HeaderItem = typeof HeaderItem.infer;

/** The sort key of a header in the index `byAccount`: newest last. */
export function listKeyOf(header: Pick<HeaderItem, 'acceptedAt' | 'bookingId'>): string {
  return `${header.acceptedAt}#${header.bookingId}`;
}
