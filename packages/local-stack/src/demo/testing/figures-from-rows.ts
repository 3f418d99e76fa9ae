import { type } from 'arktype';
import { parse } from 'csv-parse/sync';

const Row = type({
  account: 'string',
  booking: 'string',
  cost: 'string.integer.parse',
  decision: "'granted' | 'rejected'",
  reason: 'string',
});

/** Rows and their cost. */
export interface Amount {
  readonly count: number;
  readonly cost: number;
}

/** The figures of an account as its rows alone add up to them. */
export interface RowFigures {
  granted: number;
  grantedCost: number;
  rejected: number;
  rejectedCost: number;
  wouldReject: number;
  wouldRejectCost: number;
  readonly rejectedByReason: Record<string, Amount>;
  readonly wouldRejectByReason: Record<string, Amount>;
  readonly bookings: Set<string>;
}

/** Adds up what `demo --rows` has written, account by account. It knows the file alone, and nothing of how a report is made. */
export function figuresFromRows(csv: string): Map<string, RowFigures> {
  const accounts = new Map<string, RowFigures>();
  for (const row of Row.array().assert(parse(csv, { columns: true }))) {
    const figures = accounts.get(row.account) ?? noFigures();
    accounts.set(row.account, figures);
    figures.bookings.add(row.booking);
    figures[row.decision]++;
    figures[`${row.decision}Cost`] += row.cost;
    if (row.reason === '') continue;
    if (row.decision === 'rejected') add(figures.rejectedByReason, row.reason, row.cost);
    else {
      figures.wouldReject++;
      figures.wouldRejectCost += row.cost;
      add(figures.wouldRejectByReason, row.reason, row.cost);
    }
  }
  return accounts;
}

function noFigures(): RowFigures {
  return {
    granted: 0,
    grantedCost: 0,
    rejected: 0,
    rejectedCost: 0,
    wouldReject: 0,
    wouldRejectCost: 0,
    rejectedByReason: {},
    wouldRejectByReason: {},
    bookings: new Set(),
  };
}

function add(byReason: Record<string, Amount>, reason: string, cost: number): void {
  const { count, cost: sum } = byReason[reason] ?? { count: 0, cost: 0 };
  byReason[reason] = { count: count + 1, cost: sum + cost };
}
