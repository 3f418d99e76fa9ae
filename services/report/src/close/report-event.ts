import { type DailyQuotaReport, eventIds, eventSchemaVersion, type UsherEvent } from '@usher/contracts';
import { toRfc3339 } from '@usher/limiter-core/bulk';
import type { ByReason } from '../model/figures.ts';
import type { DayReport } from '../model/report.ts';
import type { ReportedDay, SealedRun } from '../store/runs.ts';

type Totals = DailyQuotaReport['data']['totals'];

/** The id of the event that tells of a run. */
export function eventIdOf(run: ReportedDay & { readonly run: number }): string {
  return eventIds.report(run);
}

/** The event that tells of a sealed run: a function of its seal alone, so that a repeat is the very same. */
export function reportEvent({ date, timezone }: ReportedDay, sealed: SealedRun): UsherEvent {
  const { run, nowMs, state, supersedes, totals, files } = sealed;
  const id = eventIdOf({ date, timezone, run });
  return {
    detailType: 'Daily Quota Report',
    detail: {
      metadata: { id, occurredAt: toRfc3339(nowMs), schemaVersion: eventSchemaVersion },
      data: { date, timezone, state, run, ...(supersedes === undefined ? {} : { supersedes }), totals, files },
    },
  };
}

/** A report's totals as its event tells them. */
export function eventTotals({ totals }: DayReport): Totals {
  const { accounts, granted, grantedCost, rejectedByReason, wouldReject, wouldRejectByReason } = totals;
  return {
    accounts,
    granted: { count: granted, cost: grantedCost },
    rejected: refused(rejectedByReason),
    ...(wouldReject === 0 ? {} : { observed: refused(wouldRejectByReason) }),
  };
}

function refused(byReason: ByReason): Totals['rejected'] {
  const amounts = Object.values(byReason);
  return {
    count: amounts.reduce((sum, { count }) => sum + count, 0),
    cost: amounts.reduce((sum, { cost }) => sum + cost, 0),
    byReason,
  };
}
