import { UsherError } from '@usher/limiter-core/bulk';
import { type } from 'arktype';
import { billingColumns } from './billing-rows.ts';
import { type CsvValue, csvLine, csvRows } from './csv.ts';

/** The billing of a month's days is not what a month is made of. */
export class MonthError extends UsherError {
  override readonly name = 'MonthError';
}

/** A day of a month: the `billing.csv` of its final report over all zones. */
export interface BilledDay {
  readonly date: string;
  readonly billing: string;
}

/** A file of a month: its text in pieces, made anew each time it is read. At most one day of it is held. */
export interface MonthFile {
  readonly name: string;
  readonly mediaType: string;
  readonly content: AsyncIterable<string>;
}

const mediaType = 'text/csv; charset=utf-8';
const columnsLine = csvLine(billingColumns);

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

/** The columns of a row that a month sums or checks. */
const Row = type({
  kind: "'usage' | 'correction'",
  date: 'string',
  account_id: 'string > 0',
  used: 'string.integer.parse',
  granted: 'string.integer.parse',
  granted_cost: 'string.integer.parse',
  rejected: 'string.integer.parse',
  rejected_cost: 'string.integer.parse',
  state: "'final'",
});
type Row = typeof Row.infer;

/**
 * A month's billing: `billing-<month>-days.csv` with the rows of every day, as they are, then `billing-<month>.csv` with a row
 * for each account. A correction counts in the month whose reports carry it, so that no month is billed twice and none anew.
 *
 * @param month `YYYY-MM`
 * @param days reads the month's days, the oldest first; called once for each file
 * @throws MonthError while a file is read
 */
export function monthFiles(month: string, days: () => AsyncIterable<BilledDay>): MonthFile[] {
  const checkedDays = (): AsyncGenerator<BilledDay> => checked(month, days());
  return [
    {
      name: `billing-${month}-days.csv`,
      mediaType,
      content: { [Symbol.asyncIterator]: () => dayPieces(checkedDays()) },
    },
    {
      name: `billing-${month}.csv`,
      mediaType,
      content: { [Symbol.asyncIterator]: () => sumPieces(month, checkedDays()) },
    },
  ];
}

async function* checked(month: string, days: AsyncIterable<BilledDay>): AsyncGenerator<BilledDay> {
  let before = '';
  for await (const day of days) {
    const { date, billing } = day;
    if (!date.startsWith(`${month}-`)) throw new MonthError(`${month} is given a day of another month: ${date}`);
    if (date <= before)
      throw new MonthError(`${month} is given ${date} behind ${before}: each day once, the oldest first`);
    if (!billing.startsWith(columnsLine)) {
      throw new MonthError(`The billing of ${date} begins with other columns than ${billingColumns.join(',')}`);
    }
    before = date;
    yield day;
  }
}

async function* dayPieces(days: AsyncIterable<BilledDay>): AsyncGenerator<string> {
  yield columnsLine;
  for await (const { billing } of days) yield billing.slice(columnsLine.length);
}

async function* sumPieces(month: string, days: AsyncIterable<BilledDay>): AsyncGenerator<string> {
  const sums = new Map<string, Sum>();
  for await (const day of days) for (const row of rowsOf(day)) addTo(sums, row);
  yield csvLine(sumColumns);
  for (const id of [...sums.keys()].sort()) yield csvLine(sumRow(month, id, sums.get(id) ?? noSum()));
}

function* rowsOf({ date, billing }: BilledDay): Generator<Row> {
  let line = 1;
  for (const values of csvRows(billing.slice(columnsLine.length))) {
    line++;
    const row = Row(Object.fromEntries(billingColumns.map((name, at) => [name, values[at]])));
    if (row instanceof type.errors) throw new MonthError(`The billing of ${date}, row ${line}: ${expectedOf(row)}`);
    if (row.kind === 'usage' && row.date !== date) {
      throw new MonthError(`The billing of ${date}, row ${line}: date must be ${date} as the report's`);
    }
    yield row;
  }
}

/** The fields that are not as expected, without their values, which an error of ours never tells. */
function expectedOf(errors: type.errors): string {
  return errors.map(({ propString, expected }) => `${propString} must be ${expected}`).join('; ');
}

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

function addTo(sums: Map<string, Sum>, row: Row): void {
  const sum = sums.get(row.account_id) ?? noSum();
  sums.set(row.account_id, sum);
  if (row.kind === 'correction') {
    sum.corrections++;
    sum.correctedGranted += row.granted;
    sum.correctedGrantedCost += row.granted_cost;
    return;
  }
  sum.days++;
  sum.used += row.used;
  sum.granted += row.granted;
  sum.grantedCost += row.granted_cost;
  sum.rejected += row.rejected;
  sum.rejectedCost += row.rejected_cost;
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
