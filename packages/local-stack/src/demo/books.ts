import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { type EventDetailType, eventDetails, type UsherEvent } from '@usher/contracts';
import { DynamoDbAccountStore, keys, type LedgerEntry, readLedgerItem } from '@usher/limiter-core';
import { type } from 'arktype';
import { tableName } from '../resources.ts';
import type { StackClients } from '../stack.ts';
import type { DecidedBooking } from './decisions.ts';
import type { ReceivedDispatch } from './dispatches.ts';

/** Everything that a run left behind, each part read where it is kept. */
export interface Evidence {
  readonly bookings: readonly DecidedBooking[];
  readonly counters: ReadonlyMap<string, { readonly used: number; readonly rejected: number }>;
  readonly ledger: readonly LedgerEntry[];
  /** One per event id. */
  readonly events: readonly UsherEvent[];
  readonly dispatches: readonly ReceivedDispatch[];
}

/** Granted and rejected, as one part of the evidence tells it. */
interface Sums {
  granted: number;
  grantedCost: number;
  rejected: number;
  rejectedCost: number;
}

/**
 * Compares, account by account, what was submitted, decided, counted, recorded, published and handed on, and returns
 * the differences; none means that the books balance.
 */
export function differences(evidence: Evidence): string[] {
  const found: string[] = [];
  const ledger = sumLedger(evidence.ledger);
  const events = sumUsageEvents(evidence.events);
  const rejections = rejectedRows(evidence.events);
  const dispatched = dispatchedRows(evidence.dispatches);
  for (const [accountId, bookings] of Map.groupBy(evidence.bookings, (booking) => booking.accountId)) {
    const answered = sumDecisions(bookings);
    const counter = evidence.counters.get(accountId) ?? { used: 0, rejected: 0 };
    const compare = (what: string, actual: unknown, expected: unknown): void => {
      if (actual !== expected) found.push(`${accountId}: ${what}: ${String(actual)}, not ${String(expected)}`);
    };
    compare('rows decided of those submitted', matchingRows(bookings), rowsOf(bookings));
    compare('granted cost on the counter', counter.used, answered.grantedCost);
    compare('rejected cost on the counter', counter.rejected, answered.rejectedCost);
    for (const [source, sums] of [
      ['ledger', ledger],
      ['usage events', events],
    ] as const) {
      for (const figure of ['granted', 'grantedCost', 'rejected', 'rejectedCost'] as const) {
        compare(`${figure} in the ${source}`, sums.get(accountId)?.[figure] ?? 0, answered[figure]);
      }
    }
    compare('rows in rejection events', differenceOf(rejections, bookings, 'rejected'), '');
    compare('rows dispatched', differenceOf(dispatched, bookings, 'granted'), '');
  }
  return found;
}

/** Reads the account items' counters, over all their windows. */
export async function readCounters(
  { dynamoDb }: StackClients,
  accountIds: readonly string[],
): Promise<Evidence['counters']> {
  const store = new DynamoDbAccountStore({ client: dynamoDb, tableName });
  const counters = new Map<string, { used: number; rejected: number }>();
  for (let at = 0; at < accountIds.length; at += 50) {
    for (const [accountId, account] of await store.readAccounts(accountIds.slice(at, at + 50))) {
      if (account instanceof Error) throw account;
      const windows = [...account.state.usage.values()];
      const total = (figure: 'used' | 'rejected') => windows.reduce((sum, window) => sum + window[figure], 0);
      counters.set(accountId, { used: total('used'), rejected: total('rejected') });
    }
  }
  return counters;
}

/** Reads every ledger item of the table. */
export async function readLedger({ dynamoDb }: StackClients): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  const pages = paginateScan(
    { client: dynamoDb },
    {
      TableName: tableName,
      FilterExpression: 'begins_with(sk, :ledger)',
      ExpressionAttributeValues: { ':ledger': keys.ledgerPrefix },
    },
  );
  for await (const { Items = [] } of pages) entries.push(...Items.map(readLedgerItem));
  return entries;
}

const Envelope = type('string.json.parse').to({ 'detail-type': 'string', detail: 'object' });

/** Reads an event as a rule delivers it to a queue. */
export function readEvent(body: string): UsherEvent {
  const { 'detail-type': detailType, detail } = Envelope.assert(body);
  if (!isDetailType(detailType)) throw new Error(`An event of the unknown kind ${detailType} was published`);
  return { detailType, detail: eventDetails[detailType].assert(detail) } as UsherEvent;
}

function isDetailType(name: string): name is EventDetailType {
  return Object.hasOwn(eventDetails, name);
}

function rowsOf(bookings: readonly DecidedBooking[]): number {
  return bookings.reduce((rows, { reservations }) => rows + reservations.length, 0);
}

/** How many rows were decided under the id and at the cost with which they were submitted, in the same place. */
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
    for (const [i, cost] of (rows?.costs ?? []).entries()) {
      const decision = outcome.mode === 'observe' || outcome.reasons[i] === null ? 'granted' : 'rejected';
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

type RowCounts = ReadonlyMap<string, number>;

function countRows(rows: Iterable<{ bookingId: string; id: string }>): RowCounts {
  const counts = new Map<string, number>();
  for (const { bookingId, id } of rows) {
    const key = `${bookingId}\n${id}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

/** Rows that events report as really rejected; what observe mode would have rejected is granted. */
function rejectedRows(events: readonly UsherEvent[]): RowCounts {
  const rejections = events.filter((event) => event.detailType === 'Reservations Rejected');
  return countRows(
    rejections
      .filter(({ detail }) => detail.data.mode === 'enforce')
      .flatMap(({ detail: { data } }) => data.reservations.map(({ id }) => ({ bookingId: data.bookingId, id }))),
  );
}

function dispatchedRows(dispatches: readonly ReceivedDispatch[]): RowCounts {
  return countRows(
    dispatches.flatMap(({ bookingId, reservations }) => reservations.map(({ id }) => ({ bookingId, id }))),
  );
}

/** Says which rows with a decision do not appear exactly once, or appear without it; empty where all is as it should be. */
function differenceOf(
  counts: RowCounts,
  bookings: readonly DecidedBooking[],
  decision: 'granted' | 'rejected',
): string {
  const wrong = bookings.flatMap(({ bookingId, decisions }) =>
    decisions
      .map((row) => ({
        id: row.id,
        times: counts.get(`${bookingId}\n${row.id}`) ?? 0,
        expected: row.decision === decision ? 1 : 0,
      }))
      .filter(({ times, expected }) => times !== expected),
  );
  const shown = wrong.slice(0, 5).map(({ id, times, expected }) => `${id} ${times} times, not ${expected}`);
  return wrong.length > shown.length ? `${shown.join(', ')} and ${wrong.length - shown.length} more` : shown.join(', ');
}
