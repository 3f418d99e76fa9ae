import type { DayReport } from '@usher/report';

/** An account's day as something other than the report tells it. */
export interface DayFigures {
  readonly granted: number;
  readonly grantedCost: number;
  readonly rejected: number;
  readonly rejectedCost: number;
  readonly bookings: number;
}

/** Every difference between a report and the days of accounts, each a sentence; accounts that are not given have no use. */
export function reportDifferences(report: DayReport, days: ReadonlyMap<string, DayFigures>): string[] {
  const told = new Map(report.accounts.map((account) => [account.accountId, account]));
  return [...new Set([...days.keys(), ...told.keys()])].flatMap((accountId) => {
    const account = told.get(accountId);
    const should = textOf(days.get(accountId) ?? unused);
    if (account === undefined) return [`the report of ${report.date} leaves out ${accountId}: ${should}`];
    const differences: string[] = [];
    if (textOf(account) !== should)
      differences.push(`the report of ${report.date} tells ${textOf(account)} of ${accountId}; it is ${should}`);
    const { state } = account.reconciliation;
    if (state !== 'agrees') differences.push(`the report of ${report.date} tells ${state} of ${accountId}`);
    return differences;
  });
}

const unused: DayFigures = { granted: 0, grantedCost: 0, rejected: 0, rejectedCost: 0, bookings: 0 };

function textOf({ granted, grantedCost, rejected, rejectedCost, bookings }: DayFigures): string {
  return JSON.stringify({ granted, grantedCost, rejected, rejectedCost, bookings });
}
