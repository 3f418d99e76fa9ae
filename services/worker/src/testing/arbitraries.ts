import type { Chunk } from '@usher/contracts';
import { isGranted, type Outcome, type RejectReason, rejectReasons } from '@usher/limiter-core/bulk';
import fc from 'fast-check';
import { chunkOf, outcomeOf, secret } from './messages.ts';
import type { InTurn } from './slots.ts';

const reason = fc.constantFrom<RejectReason | null>(null, ...rejectReasons);

/** Text that row ids may be: up to 128 characters of one to four bytes. */
const rowId = fc.string({
  unit: fc.constantFrom('a', '7', '"', '\\', 'é', '漢', '𝄞'),
  minLength: 1,
  maxLength: 120,
});

/** A chunk with any decision on it, as settle may have made it. */
export const settledChunk: fc.Arbitrary<{ message: Chunk; outcome: Outcome }> = fc
  .record({
    rows: fc.uniqueArray(fc.record({ id: rowId, cost: fc.integer({ min: 1, max: 10_000 }), reason }), {
      selector: ({ id }) => id,
      minLength: 1,
      maxLength: 100,
    }),
    policyMode: fc.constantFrom<Outcome['policyMode']>('enforce', 'observe'),
    usedBefore: fc.nat(2_000_000),
    limitBefore: fc.option(fc.nat(2_000_000)),
    limit: fc.nat(2_000_000),
    debtMicros: fc.nat(4_000_000_000),
    refillPerSecond: fc.double({ min: 0.1, max: 10_000, noNaN: true }),
    burst: fc.integer({ min: 1, max: 10_000 }),
  })
  .map(({ rows, policyMode, ...figures }) => {
    const reservations = rows.map(({ id, cost }) => ({ id, cost, details: { passport: secret } }));
    const total = (granted: boolean): number =>
      rows.reduce((sum, row) => (isGranted({ policyMode }, row.reason) === granted ? sum + row.cost : sum), 0);
    const outcome = outcomeOf([], {
      ...figures,
      policyMode,
      reasons: rows.map((row) => row.reason),
      grantedCost: total(true),
      rejectedCost: total(false),
    });
    return { message: chunkOf({ reservations }), outcome };
  });

/** Chunks of one account, by the costs of their rows, with the rate they were settled under. */
export const chunksInTurn: fc.Arbitrary<InTurn> = fc.record({
  chunks: fc.array(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 25 }), {
    minLength: 1,
    maxLength: 4,
  }),
  rate: fc.record({
    refillPerSecond: fc.double({ min: 0.1, max: 200, noNaN: true }),
    burst: fc.integer({ min: 1, max: 50 }),
  }),
  debtMicros: fc.nat(5_000_000),
});
