import type { DayReport, Totals, WeekBefore } from '../model/report.ts';

/** The day seven days before, as far as a report compares itself with it. */
export interface DayBefore {
  readonly totals: Pick<Totals, 'activeAccounts' | 'used' | 'granted' | 'rejected' | 'bookings'>;
  readonly zones: ReadonlyMap<string, DayBefore['totals']>;
  readonly accounts: ReadonlyMap<string, WeekBefore>;
}

/** Takes from last week's report what this week's compares itself with. */
export function dayBefore(report: DayReport): DayBefore {
  return {
    totals: report.totals,
    zones: new Map(report.zones.map((zone) => [zone.timezone, zone])),
    accounts: new Map(
      report.accounts.map(({ accountId, timezone, used, granted, rejected, bookings }) => [
        accountKey({ accountId, timezone }),
        { used, granted, rejected, bookings },
      ]),
    ),
  };
}

/** A key of an account in a zone; the zone comes first, since no zone's name holds a space. */
export function accountKey({ accountId, timezone }: { readonly accountId: string; readonly timezone: string }): string {
  return `${timezone} ${accountId}`;
}

/** The totals of a day before, without what else they hold. */
export function totalsBefore(totals: DayBefore['totals'] | undefined): Totals['weekBefore'] {
  if (totals === undefined) return null;
  const { activeAccounts, used, granted, rejected, bookings } = totals;
  return { activeAccounts, used, granted, rejected, bookings };
}
