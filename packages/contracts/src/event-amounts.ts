import { rejectReasons } from '@usher/limiter-core/bulk';
import { type } from 'arktype';
import { Count } from './fields.ts';

/** Count and cost of rows. */
export const Amount = type({ '+': 'reject', count: Count, cost: Count });
type Amount = typeof Amount.infer;

const AtLeastOne = type('1 <= number.integer <= 9007199254740991').describe('a whole number ≥ 1');
const Some = type({ '+': 'reject', count: AtLeastOne, cost: AtLeastOne });

/** Amounts by reason, only of reasons that occurred. */
const ByReason = type({
  '+': 'reject',
  'daily_quota_exceeded?': Some,
  'exceeds_limit?': Some,
  'pacing_backlog_full?': Some,
});

/** Count and cost of rows with a reason against them, as a whole and by reason; the reasons add up to the whole. */
export const Refused = type({ '+': 'reject', count: Count, cost: Count, byReason: ByReason }).narrow(
  (refused, ctx) => addsUp(refused) || ctx.mustBe('the sum of its byReason'),
);
export type Refused = typeof Refused.infer;

/** Rows that observe mode granted although the quota spoke against them. They are granted, and counted there too. */
export const Observed = Refused.narrow(
  ({ count }, ctx) => count > 0 || ctx.mustBe('absent where there are no such rows'),
);

function addsUp({ count, cost, byReason }: { readonly byReason: typeof ByReason.infer } & Amount): boolean {
  const amounts = rejectReasons.flatMap((reason) => byReason[reason] ?? []);
  const sum = (of: keyof Amount): number => amounts.reduce((total, amount) => total + amount[of], 0);
  return count === sum('count') && cost === sum('cost');
}
