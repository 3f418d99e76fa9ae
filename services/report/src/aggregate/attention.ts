import { type AccountReport, type Attention, attentionReasons, type DayReport } from '../model/report.ts';
import { compareText } from './limits.ts';

/** The accounts that a report names as needing attention, at most. */
export const attentionMax = 20;
/** Usage that changes less than this is no matter for attention, however small the day before was. */
const noticeableUsage = 20;

type Reason = (typeof attentionReasons)[number];

/** The accounts that most need attention: by their weightiest reason, then by all others, then the busiest. */
export function attentionOf(accounts: readonly AccountReport[]): DayReport['attention'] {
  const found = accounts.flatMap((account) => {
    const reasons = reasonsOf(account);
    return reasons.length === 0 ? [] : [{ account, reasons, weight: weightOf(reasons) }];
  });
  found.sort(
    (a, b) =>
      b.weight - a.weight ||
      b.account.rejected - a.account.rejected ||
      b.account.used - a.account.used ||
      compareText(a.account.accountId, b.account.accountId) ||
      compareText(a.account.timezone, b.account.timezone),
  );
  return found
    .slice(0, attentionMax)
    .map(({ account: { accountId, timezone }, reasons }): Attention => ({ accountId, timezone, reasons }));
}

/** The reasons for which an account needs attention, the weightiest first. */
export function reasonsOf(account: AccountReport): Reason[] {
  const holds: Readonly<Record<Reason, boolean>> = {
    drift: account.reconciliation.state === 'drift',
    missing: !account.complete,
    dead_letters: (account.deadLetters ?? 0) > 0,
    quarantined: account.quarantined > 0,
    refused: account.rejected > 0,
    fell: change(account) <= -0.5,
    rose: change(account) >= 1,
    late: account.late > 0,
  };
  return attentionReasons.filter((reason) => holds[reason]);
}

/** Usage against the same weekday before: −1 where none is left, 1 where it doubled; 0 where it is too little to tell. */
function change({ used, weekBefore }: AccountReport): number {
  if (weekBefore === null || Math.abs(used - weekBefore.used) < noticeableUsage) return 0;
  return weekBefore.used === 0 ? 1 : used / weekBefore.used - 1;
}

/** A weight in which one reason outweighs all that come after it. */
function weightOf(reasons: readonly Reason[]): number {
  return reasons.reduce((sum, reason) => sum + 2 ** (attentionReasons.length - attentionReasons.indexOf(reason)), 0);
}
