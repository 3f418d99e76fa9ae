import { isDeepStrictEqual } from 'node:util';
import type { BookingStatus, DecidedReservation, UsherEvent } from '@usher/contracts';
import { builtInPolicy, chunkIdOf } from '@usher/limiter-core/bulk';
import { type DecidedBooking, differences, type Evidence, keepsPace } from '@usher/local-stack/testing';
import type { DayReport } from '@usher/report';
import { firstFit } from '../support/first-fit.ts';
import { type DayFigures, reportDifferences } from '../support/report-differences.ts';
import type { AcceptedBooking } from './partner.ts';
import type { Account } from './scenario.ts';

/** The input of the checks: a run's scenario, and all that the run left. */
export interface RunResult {
  readonly accounts: readonly Account[];
  /** The accepted bookings; each account's in the order of their acceptance. */
  readonly accepted: readonly AcceptedBooking[];
  readonly evidence: Evidence;
  /** Decided bookings as partners saw them during the faults, by booking id. */
  readonly seen: ReadonlyMap<string, BookingStatus>;
  /** The reports of the days that bookings are of. */
  readonly reports: readonly DayReport[];
  /** Messages left, by queue; a queue that is empty may be absent. */
  readonly left: Readonly<Record<string, number>>;
}

/** Every violation of a promise, each a sentence; none means that all promises were kept. */
export function checkRun(result: RunResult): string[] {
  const { evidence, left, accepted } = result;
  const ids = new Set(evidence.bookings.map(({ bookingId }) => bookingId));
  return [
    ...accepted
      .filter(({ bookingId }) => !ids.has(bookingId))
      .map(({ accountId, bookingId }) => `${accountId}: booking ${bookingId} was accepted and is not decided`),
    ...differences(evidence),
    ...checkFirstFit(result),
    ...checkAnswersKept(result),
    ...checkThresholds(result),
    ...checkPace(result),
    ...checkReports(result),
    ...Object.entries(left)
      .filter(([, messages]) => messages > 0)
      .map(([queue, messages]) => `${messages} messages are left in ${queue}`),
  ];
}

/** Decisions and ledger against the rows decided by hand in the order of acceptance, each day for itself. */
function checkFirstFit({ accounts, accepted, evidence }: RunResult): string[] {
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
      rows?.map(({ id, cost }, row) => ({ id, cost, reason: outcome.reasons[row] })),
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
      return !isDeepStrictEqual(decisions.map(reasonOf), own);
    })
    .map(({ accountId, bookingId }) => `${accountId}: the answer to ${bookingId} is not the first fit`);
  return [...chunks, ...strangers.map((id) => `the ledger has ${id}, which nobody submitted`), ...answers];
}

function reasonOf(decided: DecidedReservation): object {
  return { id: decided.id, cost: decided.cost, reason: decided.decision === 'rejected' ? decided.reason : null };
}

/** An answer of `decided` is final: no later one differs. */
function checkAnswersKept({ evidence, seen }: RunResult): string[] {
  return evidence.bookings
    .filter(({ bookingId, decisions }) => {
      const earlier = seen.get(bookingId);
      return earlier !== undefined && !isDeepStrictEqual(earlier.reservations, decisions);
    })
    .map(({ accountId, bookingId }) => `${accountId}: booking ${bookingId} was decided otherwise before`);
}

/** Each threshold of each day is reported under one id where the usage has reached it, and only there. */
function checkThresholds({ accounts, accepted, evidence }: RunResult): string[] {
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

/** Promise 6, over the times answered for the granted rows. */
function checkPace({ accounts, evidence }: RunResult): string[] {
  const bookings = Map.groupBy(evidence.bookings, ({ accountId }) => accountId);
  return accounts
    .filter(({ accountId, policy }) => !keepsPace((bookings.get(accountId) ?? []).flatMap(dueTimes), policy))
    .map(({ accountId }) => `${accountId}: more is scheduled in some interval than its bucket allows`);
}

/** Each day's report tells what partners were answered, account by account, and nothing of the day is missing. */
function checkReports({ accepted, evidence, reports }: RunResult): string[] {
  const dates = new Map(accepted.map(({ bookingId, date }) => [bookingId, date]));
  const days = Map.groupBy(evidence.bookings, ({ bookingId }) => dates.get(bookingId));
  const untold = [...days.keys()].filter((date) => !reports.some((report) => report.date === date));
  return [
    ...untold.map((date) => `there is no report of ${date}`),
    ...reports.flatMap((report) => {
      const accounts = Map.groupBy(days.get(report.date) ?? [], ({ accountId }) => accountId);
      const figures = [...accounts].map(([accountId, bookings]) => [accountId, figuresOf(bookings)] as const);
      const isWhole = report.state === 'complete' && report.missing.length === 0;
      const missing = report.missing.map(({ bookingId, kind }) => `${kind} of ${bookingId}`).join(', ');
      return [
        ...(isWhole ? [] : [`the report of ${report.date} is ${report.state}; missing: ${missing}`]),
        ...reportDifferences(report, new Map(figures)),
      ];
    }),
  ];
}

function figuresOf(bookings: readonly DecidedBooking[]): DayFigures {
  const rows = bookings.flatMap(({ decisions }) => decisions);
  const rejected = rows.filter(({ decision }) => decision === 'rejected');
  return {
    granted: rows.length - rejected.length,
    grantedCost: grantedCostOf(rows),
    rejected: rejected.length,
    rejectedCost: rejected.reduce((sum, { cost }) => sum + cost, 0),
    bookings: bookings.length,
  };
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
