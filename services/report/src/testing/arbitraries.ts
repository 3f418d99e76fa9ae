import { rejectReasons, toRfc3339, windowOn } from '@usher/limiter-core/bulk';
import * as fc from 'fast-check';
import type { AccountDayFacts } from '../model/facts.ts';
import type { ByReason } from '../model/figures.ts';
import { date, factsOf, type ToldChunk } from './facts.ts';

const amount = fc.record({ count: fc.integer({ min: 1, max: 100 }), cost: fc.integer({ min: 1, max: 10_000 }) });

const byReason: fc.Arbitrary<ByReason> = fc
  .array(fc.tuple(fc.constantFrom(...rejectReasons), amount), { maxLength: 2 })
  .map((pairs) => Object.fromEntries(pairs));

/** A chunk of an account's day, accepted at any instant of it and decided up to a minute later. */
function chunkOf(timezone: string, day: string, chunk: number): fc.Arbitrary<ToldChunk> {
  const window = windowOn(day, timezone);
  const startsAtMs = Date.parse(window.startsAt);
  const lengthMs = Date.parse(window.resetsAt) - startsAtMs;
  return fc
    .record({
      atMs: fc.integer({ min: 0, max: lengthMs - 1 }),
      waitMs: fc.integer({ min: 0, max: 60_000 }),
      limit: fc.constantFrom(100, 1000, 5000),
      mode: fc.constantFrom('enforce', 'observe'),
      granted: fc.record({ count: fc.nat(100), cost: fc.nat(10_000) }),
      byReason,
      booking: fc.constantFrom('bk_a', 'bk_b', 'bk_c'),
    })
    .map(({ atMs, waitMs, booking, ...rest }) => ({
      ...rest,
      bookingId: `${booking}-${chunk}`,
      acceptedAt: toRfc3339(startsAtMs + atMs),
      decidedAt: toRfc3339(startsAtMs + atMs + waitMs),
    }));
}

/** Account-days whose counter and ledger agree with their events, none of which is missing. */
export function accountDays(timezones: readonly string[], day = date): fc.Arbitrary<AccountDayFacts[]> {
  const account = fc.constantFrom(...timezones).chain((timezone) =>
    fc.integer({ min: 0, max: 6 }).chain((size) => {
      const chunks = fc.tuple(...Array.from({ length: size }, (_, chunk) => chunkOf(timezone, day, chunk)));
      return chunks.map((told) => ({ timezone, chunks: told }));
    }),
  );
  return fc
    .array(account, { maxLength: 6 })
    .map((accounts) => accounts.map((told, at) => factsOf({ accountId: `account-${at}`, date: day, ...told })));
}
