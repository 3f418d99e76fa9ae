import { figureNames, figuresOf } from '../model/figures.ts';
import type { AccountReport, CorrectedFigures, Correction, DayReport } from '../model/report.ts';
import { accountKey } from './week-before.ts';

/**
 * The corrections of a day whose report is final: each account whose figures are others now than reported, by the final report
 * and the corrections since. A later report carries them; the final one stays.
 */
export function correctionsOf(day: {
  readonly final: DayReport;
  /** Corrections that earlier reports carried. */
  readonly earlier: readonly Correction[];
  /** The day anew, from all facts there are. */
  readonly anew: DayReport;
  /** False once counters of the day are kept no more: usage then stays as reported, unless the events tell of more. */
  readonly isCounterKept: boolean;
}): Correction[] {
  const { final, anew, isCounterKept } = day;
  const reported = new Map(final.accounts.map((account) => [accountKey(account), correctedFigures(account)]));
  const earlier = day.earlier.filter(({ date }) => date === final.date);
  for (const correction of earlier.toSorted((a, b) => Date.parse(a.foundAt) - Date.parse(b.foundAt))) {
    reported.set(accountKey(correction), correction.after);
  }
  return anew.accounts.flatMap((account) => {
    const { accountId, timezone } = account;
    const before = reported.get(accountKey(account)) ?? nothing;
    const { used, ...figures } = correctedFigures(account);
    const after = { ...figures, used: isCounterKept ? used : Math.max(used, before.used) };
    if (isSame(before, after)) return [];
    return [{ date: final.date, timezone, accountId, foundAt: anew.generatedAt, before, after }];
  });
}

const nothing: CorrectedFigures = {
  used: 0,
  granted: 0,
  grantedCost: 0,
  rejected: 0,
  rejectedCost: 0,
  wouldReject: 0,
  wouldRejectCost: 0,
};

function correctedFigures(account: AccountReport): CorrectedFigures {
  return { used: account.used, ...figuresOf(account) };
}

function isSame(a: CorrectedFigures, b: CorrectedFigures): boolean {
  return a.used === b.used && figureNames.every((name) => a[name] === b[name]);
}
