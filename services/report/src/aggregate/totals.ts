import type { QuarantineEvent } from '../model/facts.ts';
import { addByReason, addFigures, figuresOf, inReasonOrder, noFigures } from '../model/figures.ts';
import type { AccountReport, Backlog, HourFigures, Totals } from '../model/report.ts';
import type { AccountDay } from './account-day.ts';
import { peakOf } from './account-day.ts';
import { Sample } from './latency.ts';
import { compareText } from './limits.ts';
import { type DayBefore, totalsBefore } from './week-before.ts';

/** Sums of accounts, one after another. */
export class Sums {
  readonly #latencies = new Sample();
  readonly #hours = new Map<string, HourFigures>();
  readonly #nameOf: (hour: HourFigures) => Pick<HourFigures, 'hour' | 'startsAt'>;
  readonly #quarantined = new Map<string, number>();
  readonly #figures = noFigures();
  readonly #rejectedByReason = {};
  readonly #wouldRejectByReason = {};
  readonly #counts = {
    accounts: 0,
    activeAccounts: 0,
    refusedAccounts: 0,
    used: 0,
    bookings: 0,
    chunks: 0,
    repeats: 0,
    late: 0,
  };
  #backlog: Backlog | null = null;

  /** @param hours `own`: each account's own day, by the clock on its wall, as over several zones; `shared`: one zone's. */
  constructor(hours: 'own' | 'shared') {
    this.#nameOf =
      hours === 'own'
        ? ({ hour }) => ({ hour: `${hour.slice(0, 2)}:00` })
        : ({ hour, startsAt }) => ({ hour, ...(startsAt === undefined ? {} : { startsAt }) });
  }

  add({ report, latencies, quarantined }: AccountDay): void {
    const counts = this.#counts;
    counts.accounts++;
    if (report.bookings > 0) counts.activeAccounts++;
    if (report.rejected > 0) counts.refusedAccounts++;
    for (const name of ['used', 'bookings', 'chunks', 'repeats', 'late'] as const) counts[name] += report[name];
    addFigures(this.#figures, report);
    addByReason(this.#rejectedByReason, report.rejectedByReason);
    addByReason(this.#wouldRejectByReason, report.wouldRejectByReason);
    for (const hour of report.hours) this.#addHour(hour);
    this.#latencies.addAll(latencies);
    this.addQuarantined(quarantined);
    this.#addBacklog(report);
  }

  /** Adds messages put aside, also those of no account. */
  addQuarantined(events: readonly QuarantineEvent[]): void {
    for (const { data } of events) this.#quarantined.set(data.reason, (this.#quarantined.get(data.reason) ?? 0) + 1);
  }

  totals(before: DayBefore['totals'] | undefined): Totals {
    const hours = [...this.#hours.values()].sort(
      (a, b) => compareText(a.startsAt ?? '', b.startsAt ?? '') || compareText(a.hour, b.hour),
    );
    const quarantinedByReason = Object.fromEntries([...this.#quarantined].sort(([a], [b]) => compareText(a, b)));
    return {
      ...this.#counts,
      ...figuresOf(this.#figures),
      rejectedByReason: inReasonOrder(this.#rejectedByReason),
      wouldRejectByReason: inReasonOrder(this.#wouldRejectByReason),
      hours,
      peakHour: peakOf(hours),
      latency: this.#latencies.latency(),
      backlog: this.#backlog,
      quarantined: [...this.#quarantined.values()].reduce((sum, count) => sum + count, 0),
      quarantinedByReason,
      weekBefore: totalsBefore(before),
    };
  }

  #addHour(hour: HourFigures): void {
    const name = this.#nameOf(hour);
    const key = name.startsAt ?? name.hour;
    const known = this.#hours.get(key);
    if (known === undefined) this.#hours.set(key, { ...name, ...figuresOf(hour) });
    else addFigures(known, hour);
  }

  /** Of several instants looked at the earliest is told, and of the ends the latest. */
  #addBacklog({ backlog }: AccountReport): void {
    if (backlog === null) return;
    const sum = this.#backlog;
    if (sum === null) this.#backlog = { ...backlog };
    else {
      sum.cost += backlog.cost;
      if (backlog.lookedAt < sum.lookedAt) sum.lookedAt = backlog.lookedAt;
      if ((backlog.clearsAt ?? '') > (sum.clearsAt ?? '')) sum.clearsAt = backlog.clearsAt;
    }
  }
}
