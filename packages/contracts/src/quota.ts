import { type } from 'arktype';
import { AccountId, Count, Window } from './fields.ts';

/** An account's policy as answers show it: its overrides laid over the deployment's default. */
export const PolicyAnswer = type({
  '+': 'reject',
  dailyLimit: Count,
  refillPerSecond: 'number > 0',
  burst: 'number.integer >= 1',
  timezone: 'string',
  mode: "'enforce' | 'observe'",
  thresholds: '(0 < number <= 1)[]',
});

/** The answer of `GET /v1/quota`: the caller's current window. `remaining` is never below 0. */
export const Quota = type({
  '+': 'reject',
  accountId: AccountId,
  window: Window,
  limit: Count,
  used: Count,
  remaining: Count,
  rejected: Count,
  policy: PolicyAnswer,
});
export type Quota = typeof Quota.infer;
