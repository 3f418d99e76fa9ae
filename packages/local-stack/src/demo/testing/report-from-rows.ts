import { type } from 'arktype';
import { parse } from 'csv-parse/sync';
import { localHour } from './local-hour.ts';

const Row = type({
  account: 'string',
  booking: 'string',
  cost: 'string.integer.parse',
  decision: "'granted' | 'rejected'",
  reason: 'string',
  acceptedAt: 'string > 0',
  decidedAt: 'string > 0',
});
type Row = typeof Row.infer;

/** The policy that an account's rows were decided by; rows do not tell it. */
export interface AccountPolicy {
  readonly timezone: string;
  readonly limit: number;
  readonly mode: 'enforce' | 'observe';
}

interface Amount {
  readonly count: number;
  readonly cost: number;
}

/** Figures as a report names them. */
interface RowFigures {
  granted: number;
  grantedCost: number;
  rejected: number;
  rejectedCost: number;
  wouldReject: number;
  wouldRejectCost: number;
}

interface Hour extends RowFigures {
  readonly hour: string;
  readonly startsAt?: string;
}

/** The sums of rows: an account's, a zone's or everybody's. */
interface RowSums extends RowFigures {
  readonly used: number;
  readonly bookings: number;
  readonly rejectedByReason: Readonly<Record<string, Amount>>;
  readonly wouldRejectByReason: Readonly<Record<string, Amount>>;
  readonly hours: readonly Hour[];
  readonly peakHour: { readonly hour: string; readonly grantedCost: number } | null;
}

interface RowTotals extends RowSums {
  readonly accounts: number;
  readonly activeAccounts: number;
  readonly refusedAccounts: number;
}

interface RowAccount extends RowSums, AccountPolicy {
  readonly accountId: string;
  readonly limits: readonly { readonly from: string; readonly limit: number }[];
  readonly shareOfLimit: number;
  readonly firstRefusalAt: string | null;
}

/** A local day of accounts, in figures that a report of the day has too, under the same names. */
export interface RowReport {
  readonly accounts: readonly RowAccount[];
  readonly totals: RowTotals;
  /** The totals by zone. */
  readonly zones: ReadonlyMap<string, RowTotals>;
}

/**
 * Adds up what `demo --rows` has written of one date. It knows the file and the accounts' policies, and nothing of how a report
 * is made.
 *
 * @param policies of each account that the day has, with rows or without
 */
export function reportFromRows(csv: string, date: string, policies: ReadonlyMap<string, AccountPolicy>): RowReport {
  const all = Row.array().assert(parse(csv, { columns: true }));
  const byAccount = Map.groupBy(all, ({ account }) => account);
  const own = [...policies]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([accountId, policy]) => {
      const rows = byAccount.get(accountId) ?? [];
      const isOnDate = ({ acceptedAt }: Row): boolean => localHour(acceptedAt, policy.timezone).date === date;
      return { accountId, policy, rows: rows.filter(isOnDate) };
    });
  const accounts = own.map(({ accountId, policy, rows }) => accountOf(accountId, policy, rows));
  const zones = Map.groupBy(accounts, ({ timezone }) => timezone);
  const rowsIn = (timezone?: string): Row[] =>
    own.flatMap(({ policy, rows }) => (timezone === undefined || policy.timezone === timezone ? rows : []));
  const zoneOf = (account: string): string => policies.get(account)?.timezone ?? '';
  return {
    accounts,
    // Over all zones an hour is that of each account's own day.
    totals: totalsOf(accounts, rowsIn(), ({ account, acceptedAt }) => ({
      hour: `${localHour(acceptedAt, zoneOf(account)).hour.slice(0, 2)}:00`,
    })),
    zones: new Map(
      [...zones].map(([timezone, in_]) => [timezone, totalsOf(in_, rowsIn(timezone), (row) => hourIn(timezone, row))]),
    ),
  };
}

type HourOf = (row: Row) => Pick<Hour, 'hour' | 'startsAt'>;

function hourIn(timezone: string, { acceptedAt }: Row): { hour: string; startsAt: string } {
  const { hour, startsAt } = localHour(acceptedAt, timezone);
  return { hour, startsAt };
}

function accountOf(accountId: string, policy: AccountPolicy, rows: readonly Row[]): RowAccount {
  const sums = sumsOf(rows, (row) => hourIn(policy.timezone, row));
  const decided = rows.map(({ decidedAt }) => decidedAt).sort();
  const refused = rows
    .filter(({ decision }) => decision === 'rejected')
    .map(({ decidedAt }) => decidedAt)
    .sort();
  return {
    accountId,
    ...policy,
    ...sums,
    limits: decided.slice(0, 1).map((from) => ({ from, limit: policy.limit })),
    shareOfLimit: Math.round((10_000 * sums.used) / policy.limit) / 10_000,
    firstRefusalAt: refused[0] ?? null,
  };
}

function totalsOf(accounts: readonly RowAccount[], rows: readonly Row[], hourOf: HourOf): RowTotals {
  return {
    ...sumsOf(rows, hourOf),
    accounts: accounts.length,
    activeAccounts: accounts.filter(({ bookings }) => bookings > 0).length,
    refusedAccounts: accounts.filter(({ rejected }) => rejected > 0).length,
  };
}

function sumsOf(rows: readonly Row[], hourOf: HourOf): RowSums {
  const figures = figuresOf(rows);
  const byHour = Map.groupBy(rows, (row) => JSON.stringify(hourOf(row)));
  const hours = [...byHour.values()].map((own): Hour => ({ ...hourOf(own[0] as Row), ...figuresOf(own) }));
  hours.sort((a, b) => (`${a.startsAt} ${a.hour}` < `${b.startsAt} ${b.hour}` ? -1 : 1));
  const most = Math.max(0, ...hours.map(({ grantedCost }) => grantedCost));
  const peak = most === 0 ? undefined : hours.find(({ grantedCost }) => grantedCost === most);
  return {
    ...figures,
    used: figures.grantedCost,
    bookings: new Set(rows.map(({ account, booking }) => JSON.stringify([account, booking]))).size,
    rejectedByReason: byReason(rows.filter(({ decision }) => decision === 'rejected')),
    wouldRejectByReason: byReason(rows.filter(isObserved)),
    hours,
    peakHour: peak === undefined ? null : { hour: peak.hour, grantedCost: most },
  };
}

/** A granted row with a reason is one that only observe mode granted. */
function isObserved({ decision, reason }: Row): boolean {
  return decision === 'granted' && reason !== '';
}

function figuresOf(rows: readonly Row[]): RowFigures {
  const granted = amountOf(rows.filter(({ decision }) => decision === 'granted'));
  const rejected = amountOf(rows.filter(({ decision }) => decision === 'rejected'));
  const observed = amountOf(rows.filter(isObserved));
  return {
    granted: granted.count,
    grantedCost: granted.cost,
    rejected: rejected.count,
    rejectedCost: rejected.cost,
    wouldReject: observed.count,
    wouldRejectCost: observed.cost,
  };
}

function amountOf(rows: readonly Row[]): Amount {
  return { count: rows.length, cost: rows.reduce((sum, { cost }) => sum + cost, 0) };
}

function byReason(rows: readonly Row[]): Record<string, Amount> {
  const groups = Map.groupBy(rows, ({ reason }) => reason);
  return Object.fromEntries([...groups].map(([reason, own]) => [reason, amountOf(own)]));
}
