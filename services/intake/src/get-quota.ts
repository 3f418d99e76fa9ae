import { PlainDate, type Quota } from '@usher/contracts';
import {
  type AccountState,
  type Clock,
  type Policy,
  retention,
  type Window,
  type WindowUsage,
  windowAt,
  windowOn,
} from '@usher/limiter-core/bulk';
import { type AccountReader, readAccount } from './policy-source.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';
import { invalidParameters } from './read-query.ts';
import { type Refusal, refusal } from './refusal.ts';

export interface QuotaPorts {
  readonly accounts: AccountReader;
  readonly defaultPolicy: Policy;
  readonly clock: Clock;
}

/** The quota of one day. Only the current day's has RateLimit headers. */
export interface QuotaAnswer {
  readonly kind: 'quota';
  readonly answer: Quota;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * The caller's quota on one local day of the account. The current window stands under the policy as it is now, a day
 * before under the limit last decided by, for as long as its counters are kept.
 */
export async function getQuota(
  ports: QuotaPorts,
  accountId: string,
  date: string | undefined,
): Promise<QuotaAnswer | Refusal> {
  if (date !== undefined && !PlainDate.allows(date)) {
    return invalidParameters([{ parameter: 'date', detail: `must be ${PlainDate.description}` }]);
  }
  const { state, policy } = await readAccount(ports, accountId);
  const nowMs = ports.clock();
  const current = windowAt(nowMs, policy.timezone);
  if (date === undefined || date === current.date) return currentQuota({ accountId, state, policy, nowMs });
  if (Date.parse(current.date) - Date.parse(date) > retention.windowDays * 86_400_000) {
    return refusal(
      'not-found',
      `date must be one of the ${retention.windowDays} days before the current one: counts are kept no longer.`,
    );
  }
  const usage = state.usage.get(date);
  // An account that moved to a zone further west may have counted in a day that has not begun there yet.
  if (usage === undefined && date > current.date) {
    return refusal('not-found', "date must not be later than the account's current day.");
  }
  const answer = answerOf({ accountId, usage, policy, window: windowOn(date, policy.timezone), limit: usage?.limit });
  return { kind: 'quota', answer, headers: {} };
}

function currentQuota(of: { accountId: string; state: AccountState; policy: Policy; nowMs: number }): QuotaAnswer {
  const { accountId, state, policy, nowMs } = of;
  const window = windowAt(nowMs, policy.timezone);
  const answer = answerOf({ accountId, usage: state.usage.get(window.date), policy, window, limit: policy.dailyLimit });
  const [startsAtMs, resetsAtMs] = [Date.parse(window.startsAt), Date.parse(window.resetsAt)];
  const headers = rateLimitHeaders({
    name: 'daily',
    quota: answer.limit,
    windowSeconds: (resetsAtMs - startsAtMs) / 1000,
    remaining: answer.remaining,
    resetSeconds: Math.ceil((resetsAtMs - nowMs) / 1000),
  });
  return { kind: 'quota', answer, headers };
}

function answerOf(of: {
  accountId: string;
  usage: WindowUsage | undefined;
  policy: Policy;
  window: Window;
  limit: number | null | undefined;
}): Quota {
  const { accountId, policy, window } = of;
  const { used = 0, rejected = 0 } = of.usage ?? {};
  const limit = of.limit ?? policy.dailyLimit;
  return {
    accountId,
    window: { ...window },
    limit,
    used,
    remaining: Math.max(0, limit - used),
    rejected,
    policy: { ...policy, thresholds: [...policy.thresholds] },
  };
}
