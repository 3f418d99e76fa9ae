import type { Quota } from '@usher/contracts';
import { type Clock, type Policy, windowAt } from '@usher/limiter-core';
import { type AccountReader, readAccount } from './policy-source.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';

export interface QuotaPorts {
  readonly accounts: AccountReader;
  readonly defaultPolicy: Policy;
  readonly clock: Clock;
}

/** The caller's current window, under the policy as it is now, with the headers that tell the same. */
export async function currentQuota(
  ports: QuotaPorts,
  accountId: string,
): Promise<{ answer: Quota; headers: Record<string, string> }> {
  const { state, policy } = await readAccount(ports, accountId);
  const nowMs = ports.clock();
  const window = windowAt(nowMs, policy.timezone);
  const { used = 0, rejected = 0 } = state.usage.get(window.date) ?? {};
  const limit = policy.dailyLimit;
  const remaining = Math.max(0, limit - used);
  const [startsAtMs, resetsAtMs] = [Date.parse(window.startsAt), Date.parse(window.resetsAt)];
  return {
    answer: {
      accountId,
      window: { ...window },
      limit,
      used,
      remaining,
      rejected,
      policy: { ...policy, thresholds: [...policy.thresholds] },
    },
    headers: rateLimitHeaders({
      name: 'daily',
      quota: limit,
      windowSeconds: (resetsAtMs - startsAtMs) / 1000,
      remaining,
      resetSeconds: Math.ceil((resetsAtMs - nowMs) / 1000),
    }),
  };
}
