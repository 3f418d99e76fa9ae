import type { DecidedReservation, UsherEvent } from '@usher/contracts';
import { isGranted, type LedgerEntry } from '@usher/limiter-core/bulk';
import type { DecidedBooking } from '../run/decisions.ts';
import type { ReceivedDispatch } from '../run/dispatches.ts';
import type { Evidence } from '../run/evidence.ts';

/** Granted and rejected, as one part of the evidence tells it. */
interface Sums {
  granted: number;
  grantedCost: number;
  rejected: number;
  rejectedCost: number;
}

/**
 * The differences, account by account, between the bookings submitted, their decisions, the counter, the ledger, the
 * events and the dispatches. None means that the books balance. A row that belongs to no booking is a difference too.
 */
export function differences({ bookings, counters, ...evidence }: Evidence): string[] {
  const found: string[] = [];
  const sources = { ledger: sumLedger(evidence.ledger), 'usage events': sumUsageEvents(evidence.events) };
  const rows = { rejected: rejectedRows(evidence.events), granted: dispatchedRows(evidence.dispatches) };
  const submitted = Map.groupBy(bookings, ({ accountId }) => accountId);
  const accountIds = new Set([...submitted.keys(), ...counters.keys(), ...Object.values(sources).flatMap(accountsOf)]);
  for (const accountId of accountIds) {
    const own = submitted.get(accountId) ?? [];
    const answered = sumDecisions(own);
    const counter = counters.get(accountId) ?? { used: 0, rejected: 0 };
    const compare = (what: string, actual: unknown, expected: unknown): void => {
      if (actual !== expected) found.push(`${accountId}: ${what}: ${String(actual)}, not ${String(expected)}`);
    };
    compare('rows decided of those submitted', matchingRows(own), rowsOf(own));
    compare('granted cost on the counter', counter.used, answered.grantedCost);
    compare('rejected cost on the counter', counter.rejected, answered.rejectedCost);
    for (const [source, sums] of Object.entries(sources)) {
      for (const figure of ['granted', 'grantedCost', 'rejected', 'rejectedCost'] as const) {
        compare(`${figure} in the ${source}`, sums.get(accountId)?.[figure] ?? 0, answered[figure]);
      }
    }
    compare('rows in rejection events', differenceOf(rows.rejected, own, 'rejected') || 'as decided', 'as decided');
    compare('rows dispatched', differenceOf(rows.granted, own, 'granted') || 'as decided', 'as decided');
  }
  return [
    ...found,
    ...strangers(rows.rejected, bookings, 'rejected'),
    ...strangers(rows.granted, bookings, 'dispatched'),
  ];
}

const accountsOf = (sums: ReadonlyMap<string, Sums>): string[] => [...sums.keys()];

function rowsOf(bookings: readonly DecidedBooking[]): number {
  return bookings.reduce((rows, { reservations }) => rows + reservations.length, 0);
}

/** The number of rows decided in their place, under the id and at the cost with which they were submitted. */
function matchingRows(bookings: readonly DecidedBooking[]): number {
  return bookings.reduce(
    (rows, { reservations, decisions }) =>
      rows +
      reservations.filter(({ id, cost }, i) => decisions[i]?.id === id && decisions[i]?.cost === cost).length -
      Math.max(0, decisions.length - reservations.length),
    0,
  );
}

function sumDecisions(bookings: readonly DecidedBooking[]): Sums {
  const sums = { granted: 0, grantedCost: 0, rejected: 0, rejectedCost: 0 };
  for (const { decision, cost } of bookings.flatMap(({ decisions }) => decisions)) {
    sums[decision] += 1;
    sums[`${decision}Cost`] += cost;
  }
  return sums;
}

/** Sums the ledger row by row, from costs and reasons rather than from the totals that it holds beside them. */
function sumLedger(entries: readonly LedgerEntry[]): Map<string, Sums> {
  return sumBy(entries, ({ accountId, rows, outcome }, sums) => {
    for (const [i, { cost }] of (rows ?? []).entries()) {
      const decision = isGranted(outcome, outcome.reasons[i] ?? null) ? 'granted' : 'rejected';
      sums[decision] += 1;
      sums[`${decision}Cost`] += cost;
    }
    return accountId;
  });
}

function sumUsageEvents(events: readonly UsherEvent[]): Map<string, Sums> {
  const usage = events.filter((event) => event.detailType === 'Quota Usage Recorded');
  return sumBy(usage, ({ detail: { data } }, sums) => {
    sums.granted += data.granted.count;
    sums.grantedCost += data.granted.cost;
    sums.rejected += data.rejected.count;
    sums.rejectedCost += data.rejected.cost;
    return data.accountId;
  });
}

function sumBy<T extends object>(items: readonly T[], add: (item: T, sums: Sums) => string): Map<string, Sums> {
  const byAccount = new Map<string, Sums>();
  for (const item of items) {
    const one: Sums = { granted: 0, grantedCost: 0, rejected: 0, rejectedCost: 0 };
    const accountId = add(item, one);
    const total = byAccount.get(accountId);
    if (total === undefined) {
      byAccount.set(accountId, one);
    } else {
      total.granted += one.granted;
      total.grantedCost += one.grantedCost;
      total.rejected += one.rejected;
      total.rejectedCost += one.rejectedCost;
    }
  }
  return byAccount;
}

/** The times that each row appears, by its name, booking and cost: a row at another cost is another row. */
type RowCounts = ReadonlyMap<string, number>;

interface Row {
  readonly accountId: string;
  readonly bookingId: string;
  readonly id: string;
  readonly cost: number;
}

const keyOf = ({ accountId, bookingId, id, cost }: Row): string => [accountId, bookingId, id, cost].join('\n');

function countRows(rows: readonly Row[]): RowCounts {
  return new Map([...Map.groupBy(rows, keyOf)].map(([key, repeats]) => [key, repeats.length]));
}

/** Rows that events report as really rejected; what observe mode would have rejected is granted. */
function rejectedRows(events: readonly UsherEvent[]): RowCounts {
  const rejections = events.filter((event) => event.detailType === 'Reservations Rejected');
  return countRows(
    rejections.flatMap(({ detail: { data } }) =>
      data.reservations
        .filter(({ reason }) => !isGranted({ policyMode: data.mode }, reason))
        .map((row) => ({ ...data, ...row })),
    ),
  );
}

function dispatchedRows(dispatches: readonly ReceivedDispatch[]): RowCounts {
  return countRows(dispatches.flatMap((dispatch) => dispatch.reservations.map((row) => ({ ...dispatch, ...row }))));
}

function decidedRows(bookings: readonly DecidedBooking[]): (Row & Pick<DecidedReservation, 'decision'>)[] {
  return bookings.flatMap(({ accountId, bookingId, decisions }) =>
    decisions.map((row) => ({ ...row, accountId, bookingId })),
  );
}

/** The rows with the decision that do not appear exactly once, and those without it that appear; empty for none. */
function differenceOf(
  counts: RowCounts,
  bookings: readonly DecidedBooking[],
  decision: DecidedReservation['decision'],
): string {
  const wrong = decidedRows(bookings)
    .map((row) => ({ id: row.id, times: counts.get(keyOf(row)) ?? 0, expected: row.decision === decision ? 1 : 0 }))
    .filter(({ times, expected }) => times !== expected);
  return listed(wrong.map(({ id, times, expected }) => `${id} ${times} times instead of ${expected}`));
}

/** Rows that appear and were never decided. */
function strangers(counts: RowCounts, bookings: readonly DecidedBooking[], what: string): string[] {
  const known = new Set(decidedRows(bookings).map(keyOf));
  const unknown = [...counts.keys()].filter((key) => !known.has(key)).map((key) => key.split('\n').join(' '));
  return unknown.length === 0 ? [] : [`${what} but in no booking (account, booking, row, cost): ${listed(unknown)}`];
}

function listed(items: readonly string[]): string {
  const shown = items.slice(0, 5).join(', ');
  return items.length > 5 ? `${shown} and ${items.length - 5} more` : shown;
}
