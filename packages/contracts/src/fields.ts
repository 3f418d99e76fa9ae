import { isTimezone, rejectReasons } from '@usher/limiter-core/bulk';
import { type } from 'arktype';

/** A partner's account id, from the caller's token and never from a body. The pattern cannot shape a key. */
export const AccountId = type(/^[A-Za-z0-9._@|-]{1,128}$/).describe('an account id');
export type AccountId = typeof AccountId.infer;

/** A booking's server id, which carries its instant of acceptance (`booking-id.ts`). */
export const BookingId = type(/^bk_[a-z2-7]{35}$/).describe('a booking id');
export type BookingId = typeof BookingId.infer;

/**
 * The client's own name for one submission. It has no comma: a header that is sent twice arrives as one value with a
 * comma between, and two names joined are the name of no submission.
 */
export const IdempotencyKey = type(/^[\x21-\x2b\x2d-\x7e]{1,255}$/).describe(
  '1 to 255 visible ASCII characters without a comma',
);
export type IdempotencyKey = typeof IdempotencyKey.infer;

/** An instant as RFC 3339 in UTC with milliseconds, `2026-11-29T12:00:00.000Z`. */
export const Instant = type(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .narrow((text) => isCanonical(text, text))
  .describe('an RFC 3339 UTC instant with milliseconds');

/** A calendar day, `YYYY-MM-DD`. */
export const PlainDate = type(/^\d{4}-\d{2}-\d{2}$/)
  .narrow((text) => isCanonical(`${text}T00:00:00.000Z`, `${text}T00:00:00.000Z`))
  .describe('a calendar day, YYYY-MM-DD');

/** An IANA time zone that this machine knows. */
export const Timezone = type(/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/)
  .narrow((name) => isTimezone(name))
  .describe('an IANA time zone name');

/** The account's local day that a booking counts in, frozen when intake accepted it. */
export const Window = type({
  '+': 'reject',
  date: PlainDate,
  timezone: Timezone,
  startsAt: Instant,
  resetsAt: Instant,
})
  .narrow((window, ctx) => window.startsAt < window.resetsAt || ctx.mustBe('a window that starts before it resets'))
  .describe('a local day with its bounds');

/** A booking's mode: grant row by row as it fits, or all rows or none. */
export const BookingMode = type("'partial' | 'all-or-nothing'");
export type BookingMode = typeof BookingMode.infer;

/** A whole number ≥ 0. */
export const Count = type('0 <= number.integer <= 9007199254740991').describe('a whole number ≥ 0');

/** The cost of one reservation, in units of the quota. */
export const Cost = type('1 <= number.integer <= 10000').describe('a whole number from 1 to 10000');

/** The reason for which a reservation is rejected. */
export const RejectReason = type.enumerated(...rejectReasons);

/** 0-based index of a chunk within its booking. */
export const ChunkIndex = type('0 <= number.integer <= 99999').describe('a whole number from 0 to 99999');

function isCanonical(text: string, expected: string): boolean {
  const epochMs = Date.parse(text);
  return !Number.isNaN(epochMs) && new Date(epochMs).toISOString() === expected;
}
