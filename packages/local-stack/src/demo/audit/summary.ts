import { type Policy, type PolicySet, resolvePolicy } from '@usher/limiter-core/bulk';
import type { DecidedBooking } from '../run/decisions.ts';
import type { Evidence } from '../run/evidence.ts';
import { differences } from './books.ts';
import { observedReasons } from './observed.ts';
import { type Due, keepsPace } from './pacing-check.ts';

/** One account's line. */
export interface AccountSummary {
  readonly accountId: string;
  readonly limit: number;
  /** The cost on its counter. */
  readonly used: number;
  readonly granted: number;
  readonly grantedCost: number;
  readonly rejected: number;
  readonly rejectedCost: number;
  /** The rows that observe mode granted and enforce would have rejected. */
  readonly wouldReject: number;
  readonly wouldRejectCost: number;
  readonly resetsAt: string;
  /** Seconds from the first row handed on to the last. */
  readonly pacedSeconds: number;
  /** The due instant and cost of each granted row. */
  readonly dues: readonly Due[];
  /** The policy it was paced against. */
  readonly burst: number;
  readonly refillPerSecond: number;
  readonly mode: Policy['mode'];
}

/** The facts of a run. */
export interface Summary {
  readonly accounts: readonly AccountSummary[];
  /** Distinct events by detail-type. */
  readonly events: Readonly<Record<string, number>>;
  readonly dispatch: {
    readonly messages: number;
    readonly rows: number;
    readonly conforms: boolean;
    /** The schedules and messages not paced as promised; empty where all conform. */
    readonly differences: readonly string[];
  };
  readonly balanced: boolean;
  /** The figures and rows that do not balance; empty where all do. */
  readonly differences: readonly string[];
}

export function summarise(evidence: Evidence, policies: PolicySet): Summary {
  const pacing = pacingDifferences(evidence, policies);
  const balance = differences(evidence);
  const observed = observedReasons(evidence.ledger);
  const accounts = [...Map.groupBy(evidence.bookings, ({ accountId }) => accountId)].map(([accountId, bookings]) =>
    summariseAccount(accountId, bookings, { evidence, policies, observed }),
  );
  return {
    accounts: accounts.sort(byRows),
    events: countBy(evidence.events.map(({ detailType }) => detailType)),
    dispatch: {
      messages: evidence.dispatches.length,
      rows: evidence.dispatches.reduce((rows, { reservations }) => rows + reservations.length, 0),
      conforms: pacing.length === 0,
      differences: pacing,
    },
    balanced: balance.length === 0,
    differences: balance,
  };
}

/** Most rows first. Among equals the costlier account, and at last the account id: no order of submission shows. */
function byRows(a: AccountSummary, b: AccountSummary): number {
  const rows = b.granted + b.rejected - a.granted - a.rejected;
  const cost = b.grantedCost + b.rejectedCost - a.grantedCost - a.rejectedCost;
  return rows || cost || (a.accountId < b.accountId ? -1 : 1);
}

function summariseAccount(
  accountId: string,
  bookings: readonly DecidedBooking[],
  {
    evidence,
    policies,
    observed,
  }: { evidence: Evidence; policies: PolicySet; observed: ReturnType<typeof observedReasons> },
): AccountSummary {
  const decisions = bookings.flatMap((booking) => booking.decisions);
  const granted = decisions.filter(({ decision }) => decision === 'granted');
  const rejected = decisions.filter(({ decision }) => decision === 'rejected');
  const letPass = bookings.flatMap(({ bookingId, decisions: own }) =>
    own.filter(({ id, decision }) => decision === 'granted' && observed.has(`${bookingId}\n${id}`)),
  );
  const dues = dueRows(bookings);
  const timesMs = dues.map(({ atMs }) => atMs);
  const spanMs =
    timesMs.reduce((latest, at) => Math.max(latest, at), 0) - timesMs.reduce((a, b) => Math.min(a, b), Infinity);
  const policy = resolvePolicy(policies.defaultPolicy, policies.overrides.get(accountId) ?? {});
  return {
    accountId,
    limit: policy.dailyLimit,
    used: evidence.counters.get(accountId)?.used ?? 0,
    granted: granted.length,
    grantedCost: costOf(granted),
    rejected: rejected.length,
    rejectedCost: costOf(rejected),
    wouldReject: letPass.length,
    wouldRejectCost: costOf(letPass),
    resetsAt: bookings.at(-1)?.resetsAt ?? '',
    pacedSeconds: timesMs.length === 0 ? 0 : spanMs / 1000,
    dues,
    burst: policy.burst,
    refillPerSecond: policy.refillPerSecond,
    mode: policy.mode,
  };
}

/** The schedules that pass their policy, and the messages that came early or bundle rows not due together. */
function pacingDifferences({ bookings, dispatches }: Evidence, policies: PolicySet): string[] {
  const dueOf = new Map(
    bookings.flatMap(({ bookingId, decisions }) =>
      decisions.flatMap((row) =>
        row.decision === 'granted' ? [[`${bookingId}\n${row.id}`, Date.parse(row.dispatchAt)] as const] : [],
      ),
    ),
  );
  const paces = [...Map.groupBy(bookings, ({ accountId }) => accountId)]
    .filter(([id, own]) => {
      const policy = resolvePolicy(policies.defaultPolicy, policies.overrides.get(id) ?? {});
      return !keepsPace(dueRows(own), policy);
    })
    .map(([id]) => `${id}: its schedule passes burst + refill × time`);
  const messages = dispatches.flatMap(({ dispatchId, bookingId, dispatchAt, receivedAtMs, reservations }) => {
    const at = Date.parse(dispatchAt);
    const dues = reservations.map(({ id }) => dueOf.get(`${bookingId}\n${id}`) ?? Number.NaN);
    if (receivedAtMs < at) return [`${dispatchId}: handed out ${at - receivedAtMs} ms early`];
    return dues.every((due) => due <= at && due > at - 1000) ? [] : [`${dispatchId}: holds rows of another second`];
  });
  return [...paces, ...messages];
}

function dueRows(bookings: readonly DecidedBooking[]): Due[] {
  return bookings.flatMap(({ decisions }) =>
    decisions.flatMap((row) =>
      row.decision === 'granted' ? [{ atMs: Date.parse(row.dispatchAt), cost: row.cost }] : [],
    ),
  );
}

function costOf(rows: readonly { cost: number }[]): number {
  return rows.reduce((total, { cost }) => total + cost, 0);
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts = [...Map.groupBy(names, (name) => name)].map(([name, own]) => [name, own.length] as const);
  return Object.fromEntries(counts.sort(([a], [b]) => a.localeCompare(b)));
}
