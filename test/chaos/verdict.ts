import { isDeepStrictEqual } from 'node:util';
import type { BookingStatus, DecidedReservation, UsherEvent } from '@usher/contracts';
import { builtInPolicy, chunkIdOf } from '@usher/limiter-core';
import { type DecidedBooking, differences, type Evidence, keepsPace } from '@usher/local-stack/testing';
import { firstFit } from '../support/first-fit.ts';
import type { Account } from './load.ts';
import type { AcceptedBooking } from './submit.ts';

/** What a run left behind, and what it was asked for. */
export interface Findings {
  readonly accounts: readonly Account[];
  /** Each account's in the order in which they were accepted. */
  readonly accepted: readonly AcceptedBooking[];
  readonly evidence: Evidence;
  /** What partners had seen of decided bookings while the load went on, by booking id. */
  readonly seen: ReadonlyMap<string, BookingStatus>;
  /** Messages left, by queue; a queue that is empty may be absent. */
  readonly left: Readonly<Record<string, number>>;
}

/** Says everything that is not as it must be, in sentences; none means that every promise was kept. */
export function differencesOf(findings: Findings): string[] {
  const { evidence, left, accepted } = findings;
  const ids = new Set(evidence.bookings.map(({ bookingId }) => bookingId));
  return [
    ...accepted
      .filter(({ bookingId }) => !ids.has(bookingId))
      .map(({ accountId, bookingId }) => `${accountId}: booking ${bookingId} was accepted and is not decided`),
    ...differences(evidence),
    ...againstFirstFit(findings),
    ...againstSeen(findings),
    ...thresholdDifferences(findings),
    ...paceDifferences(findings),
    ...Object.entries(left)
      .filter(([, messages]) => messages > 0)
      .map(([queue, messages]) => `${messages} messages are left in ${queue}`),
  ];
}

/** Decisions and ledger against the rows decided by hand in the order of acceptance, each day for itself. */
function againstFirstFit({ accounts, accepted, evidence }: Findings): string[] {
  const limits = limitsOf(accounts);
  const days = Map.groupBy(accepted, ({ date }) => date);
  const expected = [...days.values()].flatMap((ofDay) => {
    const bookings = ofDay.map(({ accountId, bookingId, idempotencyKey: key, reservations }) => ({
      accountId,
      bookingId,
      key,
      costs: reservations.map(({ cost }) => cost),
    }));
    return firstFit(bookings, (accountId) => limits.get(accountId) ?? 0);
  });
  const ledger = new Map(
    evidence.ledger.map(({ rows, outcome, ...entry }) => [
      chunkIdOf(entry),
      rows?.ids.map((id, row) => ({ id, cost: rows.costs[row], reason: outcome.reasons[row] })),
    ]),
  );
  const chunks = expected
    .filter(({ chunkId, rows }) => !isDeepStrictEqual(ledger.get(chunkId), rows))
    .map(({ chunkId, accountId }) => `${accountId}: the ledger of ${chunkId} is not the first fit`);
  const strangers = [...ledger.keys()].filter((id) => !expected.some(({ chunkId }) => chunkId === id));

  const rows = Map.groupBy(expected, ({ chunkId }) => chunkId.slice(0, chunkId.lastIndexOf('#')));
  const answers = evidence.bookings
    .filter(({ bookingId, decisions }) => {
      const own = (rows.get(bookingId) ?? []).flatMap((chunk) => chunk.rows);
      return !isDeepStrictEqual(decisions.map(verdictOf), own);
    })
    .map(({ accountId, bookingId }) => `${accountId}: the answer to ${bookingId} is not the first fit`);
  return [...chunks, ...strangers.map((id) => `the ledger has ${id}, which nobody submitted`), ...answers];
}

function verdictOf(decided: DecidedReservation): object {
  return { id: decided.id, cost: decided.cost, reason: decided.decision === 'rejected' ? decided.reason : null };
}

/** What was once answered as decided is never answered otherwise. */
function againstSeen({ evidence, seen }: Findings): string[] {
  return evidence.bookings
    .filter(({ bookingId, decisions }) => {
      const earlier = seen.get(bookingId);
      return earlier !== undefined && !isDeepStrictEqual(earlier.reservations, decisions);
    })
    .map(({ accountId, bookingId }) => `${accountId}: booking ${bookingId} was decided otherwise before`);
}

/** Each threshold of each day is reported under one id where the usage has reached it, and only there. */
function thresholdDifferences({ accounts, accepted, evidence }: Findings): string[] {
  const limits = limitsOf(accounts);
  const dates = new Map(accepted.map(({ bookingId, date }) => [bookingId, date]));
  const used = new Map<string, number>();
  for (const { accountId, bookingId, decisions } of evidence.bookings) {
    const key = `${accountId} ${dates.get(bookingId)}`;
    used.set(key, (used.get(key) ?? 0) + grantedCostOf(decisions));
  }
  const due = [...used].flatMap(([key, cost]) => {
    const limit = limits.get(key.slice(0, key.indexOf(' '))) ?? 0;
    return builtInPolicy.thresholds
      .filter((threshold) => cost >= threshold * limit)
      .map((threshold) => `${key} ${threshold}`);
  });
  const reported = evidence.events.flatMap(thresholdOf);
  const missing = due.filter((one) => !reported.includes(one));
  const wrong = reported.filter((one, at) => !due.includes(one) || reported.indexOf(one) !== at);
  return [
    ...missing.map((one) => `threshold ${one} is not reported`),
    ...wrong.map((one) => `threshold ${one} is wrong`),
  ];
}

function thresholdOf(event: UsherEvent): string[] {
  if (event.detailType !== 'Quota Threshold Reached') return [];
  const { accountId, window, threshold } = event.detail.data;
  return [`${accountId} ${window.date} ${threshold}`];
}

/** Promise 6, over what was answered as each granted row's time. */
function paceDifferences({ accounts, evidence }: Findings): string[] {
  const bookings = Map.groupBy(evidence.bookings, ({ accountId }) => accountId);
  return accounts
    .filter(({ accountId, policy }) => !keepsPace((bookings.get(accountId) ?? []).flatMap(dueTimes), policy))
    .map(({ accountId }) => `${accountId}: more is scheduled in some interval than its bucket allows`);
}

function dueTimes({ decisions }: DecidedBooking): { atMs: number; cost: number }[] {
  return decisions.flatMap((row) =>
    row.decision === 'granted' ? [{ atMs: Date.parse(row.dispatchAt), cost: row.cost }] : [],
  );
}

function grantedCostOf(decisions: readonly DecidedReservation[]): number {
  return decisions.reduce((sum, { decision, cost }) => (decision === 'granted' ? sum + cost : sum), 0);
}

function limitsOf(accounts: readonly Account[]): ReadonlyMap<string, number> {
  return new Map(accounts.map(({ accountId, policy }) => [accountId, policy.dailyLimit]));
}
