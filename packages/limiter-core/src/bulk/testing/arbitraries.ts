import fc from 'fast-check';
import type { Receipt } from '../account.ts';
import { chunkIdOf } from '../ledger.ts';
import { type Outcome, type RejectReason, rejectReasons } from '../outcome.ts';
import type { Policy } from '../policy.ts';
import type { ChunkToSettle } from '../settle.ts';
import { maxFillSeconds, type Rate } from '../token-bucket.ts';
import { chunkOf, dayMs, digestOf, noon, policyOf } from './build.ts';

/** Rates whose interval is a whole number of microseconds, and rates whose interval is not, up to the policy's edges. */
export const rates: fc.Arbitrary<Rate> = fc
  .record({
    refillPerSecond: fc.oneof(
      fc.constantFrom(0.1, 0.3, 1, 3, 7, 10, 1111, 2000, 1_000_000),
      fc.double({ min: 0.1, max: 1_000_000, noNaN: true }),
    ),
    burst: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.constantFrom(1, 1_000_000_000)),
  })
  .map(({ refillPerSecond, burst }) => {
    return { refillPerSecond, burst: Math.min(burst, Math.floor(refillPerSecond * maxFillSeconds)) };
  });

/** Small policies, so that limits are met often. */
export const policies: fc.Arbitrary<Policy> = fc
  .record({
    dailyLimit: fc.integer({ min: 0, max: 40 }),
    refillPerSecond: fc.constantFrom(0.1, 0.3, 3, 10, 1111),
    burst: fc.integer({ min: 1, max: 20 }),
    mode: fc.constantFrom<Policy['mode'][]>('enforce', 'observe'),
    thresholds: fc.constantFrom<number[][]>([], [1], [0.8, 1], [0.1, 0.5, 1]),
  })
  .map((fields) => policyOf(fields));

export const costLists: fc.Arbitrary<number[]> = fc.array(fc.integer({ min: 1, max: 12 }), {
  minLength: 1,
  maxLength: 8,
});

/** Distinct chunks of two bookings in two windows, in an order that mixes them. */
export const chunkLists: fc.Arbitrary<ChunkToSettle[]> = fc.uniqueArray(
  fc
    .record({
      bookingId: fc.constantFrom('bk_a', 'bk_b'),
      chunkIndex: fc.nat(20),
      date: fc.constantFrom('2026-11-28', '2026-11-29'),
      bookingMode: fc.constantFrom('partial', 'partial', 'all-or-nothing'),
      costs: costLists,
      digest: fc.constantFrom('a', 'b').map(digestOf),
    })
    .map((fields) => chunkOf({ ...fields, acceptedAtMs: noon - dayMs })),
  { selector: chunkIdOf, minLength: 1, maxLength: 12 },
);

const safe = fc.maxSafeNat();
const positiveDoubles = fc.oneof(
  fc.double({ min: Number.MIN_VALUE, noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0.1, 0.3, 1 / 3, 0.1 + 0.2, 1111.1, 5e-324, 1.797e308, 2 ** 53, 123456789.12345679),
);
const reasons: fc.Arbitrary<RejectReason | null> = fc.constantFrom(null, ...rejectReasons);

/** Outcomes that need not follow from any policy: whatever the type allows. */
export const outcomes: fc.Arbitrary<Outcome> = fc.record({
  digest: fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 }),
  date: fc
    .date({ min: new Date('1970-01-01'), max: new Date('2999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  reasons: fc.oneof(
    fc.array(reasons, { maxLength: 110 }),
    fc.tuple(reasons, fc.nat(110)).map(([reason, length]) => new Array<RejectReason | null>(length).fill(reason)),
  ),
  usedBefore: safe,
  grantedCost: safe,
  rejectedCost: safe,
  limit: safe,
  limitBefore: fc.oneof(
    fc.constant(null),
    safe.map((limit) => Math.min(limit, Number.MAX_SAFE_INTEGER - 1)),
  ),
  debtMicros: safe,
  refillPerSecond: positiveDoubles,
  burst: safe,
  policyMode: fc.constantFrom('enforce', 'observe'),
  thresholds: fc.array(positiveDoubles, { maxLength: 16 }),
  settledAtMs: safe,
});

/** Receipts of one to ten chunks, whose outcomes have the terms of one write. */
export const receipts: fc.Arbitrary<Receipt> = fc
  .tuple(
    outcomes,
    fc.uniqueArray(fc.tuple(fc.constantFrom('bk_a', 'bk_b'), fc.nat(99_999), outcomes), {
      selector: ([bookingId, chunkIndex]) => chunkIdOf({ bookingId, chunkIndex }),
      minLength: 1,
      maxLength: 10,
    }),
  )
  .map(([{ settledAtMs, limit, refillPerSecond, burst, policyMode, thresholds }, chunks]) => {
    const terms = { settledAtMs, limit, refillPerSecond, burst, policyMode, thresholds };
    return new Map(
      chunks.map(([bookingId, chunkIndex, outcome]) => [
        chunkIdOf({ bookingId, chunkIndex }),
        { ...outcome, ...terms },
      ]),
    );
  });
