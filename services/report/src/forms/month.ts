import { allZones, type Correction, type DayReport } from '../model/report.ts';
import { billingColumns, billingRows, differencesOf } from './billing-rows.ts';
import { type CsvValue, csvLine } from './csv.ts';
import { fileOf, type ReportFile } from './file.ts';

/** Reports are asked to be billed together that do not belong together. */
export class MonthError extends Error {
  override readonly name = 'MonthError';
}

/** The columns of a month's sums. `usage` of the month's days, corrections that its reports carry, and both together. */
const sumColumns = [
  'month',
  'account_id',
  'days',
  'used',
  'granted',
  'granted_cost',
  'rejected',
  'rejected_cost',
  'corrections',
  'corrected_granted',
  'corrected_granted_cost',
  'granted_total',
  'granted_cost_total',
] as const;

interface Sum {
  days: number;
  used: number;
  granted: number;
  grantedCost: number;
  rejected: number;
  rejectedCost: number;
  corrections: number;
  correctedGranted: number;
  correctedGrantedCost: number;
}

/**
 * A month's billing: `billing-<month>.csv` with a row for each account, `billing-<month>-days.csv` with the rows of every day. A
 * correction counts in the month whose reports carry it, so that no month is billed twice and none anew.
 *
 * @param month `YYYY-MM`
 * @param reports the last report of each day, all of the same zone, or all over all zones; read one by one
 * @throws MonthError
 */
export function monthFiles(month: string, reports: Iterable<DayReport>): ReportFile[] {
  const sums = new Map<string, Sum>();
  const days: string[] = [];
  const seen = { dates: new Set<string>(), corrections: new Set<string>(), timezones: new Set<string>() };
  for (const report of reports) {
    check(month, report, seen);
    const once = { ...report, corrections: report.corrections.filter((one) => isNew(one, seen.corrections)) };
    addTo(sums, once);
    days.push([...billingRows(once)].map(csvLine).join(''));
  }
  const ids = [...sums.keys()].sort();
  return [
    fileOf(`billing-${month}.csv`, 'text/csv; charset=utf-8', function* () {
      yield csvLine(sumColumns);
      for (const id of ids) yield csvLine(sumRow(month, id, sums.get(id) ?? noSum()));
    }),
    fileOf(`billing-${month}-days.csv`, 'text/csv; charset=utf-8', function* () {
      yield csvLine(billingColumns);
      yield* days;
    }),
  ];
}

function check(
  month: string,
  { date, timezone }: DayReport,
  seen: { readonly dates: Set<string>; readonly timezones: Set<string> },
): void {
  if (!date.startsWith(`${month}-`)) throw new MonthError(`${month} is given a report of ${date}`);
  if (seen.dates.has(`${date} ${timezone}`))
    throw new MonthError(`${month} is given two reports of ${date}, ${timezone}`);
  seen.dates.add(`${date} ${timezone}`);
  seen.timezones.add(timezone);
  if (seen.timezones.has(allZones) && seen.timezones.size > 1) {
    throw new MonthError(
      `${month} is given reports over all zones and of single ones: their accounts would count twice`,
    );
  }
}

/** True for the first of equal corrections: reports of several zones may carry the same. */
function isNew(correction: Correction, seen: Set<string>): boolean {
  const { date, timezone, accountId, foundAt } = correction;
  const key = `${date} ${timezone} ${foundAt} ${accountId}`;
  return !seen.has(key) && seen.add(key) !== undefined;
}

function addTo(sums: Map<string, Sum>, { accounts, corrections }: DayReport): void {
  const sumFor = (id: string): Sum => {
    const sum = sums.get(id) ?? noSum();
    sums.set(id, sum);
    return sum;
  };
  for (const account of accounts) {
    const sum = sumFor(account.accountId);
    sum.days++;
    for (const name of ['used', 'granted', 'grantedCost', 'rejected', 'rejectedCost'] as const)
      sum[name] += account[name];
  }
  for (const correction of corrections) {
    const sum = sumFor(correction.accountId);
    const { granted, grantedCost } = differencesOf(correction);
    sum.corrections++;
    sum.correctedGranted += granted;
    sum.correctedGrantedCost += grantedCost;
  }
}

function sumRow(month: string, id: string, sum: Sum): CsvValue[] {
  const { days, used, granted, grantedCost, rejected, rejectedCost, corrections } = sum;
  const { correctedGranted, correctedGrantedCost } = sum;
  const totals = [granted + correctedGranted, grantedCost + correctedGrantedCost];
  const usage = [days, used, granted, grantedCost, rejected, rejectedCost];
  return [month, id, ...usage, corrections, correctedGranted, correctedGrantedCost, ...totals];
}

function noSum(): Sum {
  return {
    days: 0,
    used: 0,
    granted: 0,
    grantedCost: 0,
    rejected: 0,
    rejectedCost: 0,
    corrections: 0,
    correctedGranted: 0,
    correctedGrantedCost: 0,
  };
}
