import { dayShardOf, dayShards } from '@usher/contracts';
import { type Window, windowOn } from '@usher/limiter-core/bulk';
import type { ReportPorts } from '../ports.ts';
import type { DayBooking } from '../store/days.ts';
import { readablePolicy } from '../store/readable-policy.ts';

/**
 * An account's day: the window that ends last decides which zone's report tells of it, and when. Its bounds are those of all
 * of its windows together.
 */
export interface AccountDay {
  readonly accountId: string;
  readonly timezone: string;
  readonly window: Pick<Window, 'startsAt' | 'resetsAt'>;
  readonly bookings: readonly DayBooking[];
}

type Ports = Pick<ReportPorts, 'facts' | 'days' | 'runs' | 'defaultPolicy'>;

/**
 * Every account that the stores know, with its day of a date, one shard after the other: those with a booking, those with
 * a policy, and those that events have named on any day. An account whose only booking is stuck
 * has no event, one whose events were all lost has no event either, and both have a booking. A day that was over when the
 * stage's reports began is there only with a booking: nobody was there to use nothing.
 */
export async function* accountDaysOf(ports: Ports, date: string): AsyncGenerator<AccountDay> {
  const policies: Policies[] = Array.from({ length: dayShards }, () => new Map());
  for await (const { accountId, overrides } of ports.days.policies()) {
    policies[dayShardOf(accountId)]?.set(accountId, overrides);
  }
  const begunAtMs = (await ports.runs.progress())?.begunAtMs ?? 0;
  for (const [shard, own] of policies.entries()) {
    for (const day of await accountDaysIn(ports, { date, shard, policies: own })) {
      if (day.bookings.length > 0 || Date.parse(day.window.resetsAt) > begunAtMs) yield day;
    }
  }
}

/** Overrides of policies, by account. */
type Policies = Map<string, unknown>;

interface Found {
  timezone: string;
  window: Pick<Window, 'startsAt' | 'resetsAt'> | undefined;
  readonly bookings: DayBooking[];
}

async function accountDaysIn(
  { facts, days, defaultPolicy }: Ports,
  { date, shard, policies }: { readonly date: string; readonly shard: number; readonly policies: Policies },
): Promise<AccountDay[]> {
  const accounts = new Map<string, Found>();
  const found = (accountId: string): Found => {
    const known = accounts.get(accountId) ?? { timezone: defaultPolicy.timezone, window: undefined, bookings: [] };
    accounts.set(accountId, known);
    return known;
  };
  const see = (accountId: string, { timezone, startsAt, resetsAt }: Omit<Window, 'date'>): Found => {
    const account = found(accountId);
    const { window } = account;
    if (window === undefined || resetsAt > window.resetsAt) account.timezone = timezone;
    account.window = {
      startsAt: window === undefined || startsAt < window.startsAt ? startsAt : window.startsAt,
      resetsAt: window === undefined || resetsAt > window.resetsAt ? resetsAt : window.resetsAt,
    };
    return account;
  };
  for await (const booking of days.bookings(date, shard)) see(booking.accountId, booking).bookings.push(booking);
  for await (const accountId of facts.accounts(shard)) found(accountId);
  for (const [accountId, overrides] of policies) {
    const account = found(accountId);
    // Nothing is decided under a policy that cannot be read; the default's zone tells the day then.
    const policy = readablePolicy(accountId, defaultPolicy, overrides) ?? defaultPolicy;
    if (account.window === undefined) account.timezone = policy.timezone;
  }
  return [...accounts].map(([accountId, { timezone, window, bookings }]) => ({
    accountId,
    timezone,
    window: window ?? windowOn(date, timezone),
    bookings,
  }));
}
