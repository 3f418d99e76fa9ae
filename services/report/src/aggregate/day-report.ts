import { toRfc3339, windowOn } from '@usher/limiter-core/bulk';
import type { AccountDayFacts, QuarantineEvent } from '../model/facts.ts';
import {
  type AccountReport,
  allZones,
  type Correction,
  type DayReport,
  type DeadLetters,
  type LateRow,
  type Missing,
  type ReportState,
  reportSchemaVersion,
  type ZoneReport,
} from '../model/report.ts';
import { accountDay } from './account-day.ts';
import { attentionOf } from './attention.ts';
import { distinct } from './events.ts';
import { rememberedHours } from './hours.ts';
import { compareText } from './limits.ts';
import { FinalReportError, finalAfterMs, leastState, stateOf } from './state.ts';
import { Sums } from './totals.ts';
import { accountKey, type DayBefore } from './week-before.ts';

/** Late events that a report lists by name, at most; its totals count all. */
const lateRowsMax = 100;

/** One run of a report: all that it is about, besides its accounts. */
export interface Run {
  /** The local day, `YYYY-MM-DD`, and a zone, or `all`. */
  readonly date: string;
  readonly timezone: string;
  /** 1 for the first report of this day and zone. */
  readonly run: number;
  /** The instant of the report: milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** The state of the run before, and the id of the event that told of it. */
  readonly previous?: { readonly state: ReportState; readonly eventId?: string } | undefined;
  /** The same weekday before ({@link import('./week-before.ts').dayBefore}). */
  readonly weekBefore?: DayBefore | undefined;
  /** Later facts about days whose reports are final ({@link import('./corrections.ts').correctionsOf}). */
  readonly corrections?: readonly Correction[];
  readonly deadLetters?: readonly DeadLetters[];
}

/** A report in the making: accounts go in one by one, in any order, and their events are not kept. */
export interface ReportMaker {
  add(facts: AccountDayFacts): void;
  /** Adds quarantined messages of the day that are no account's. */
  addQuarantined(events: readonly QuarantineEvent[]): void;
  finish(): DayReport;
}

/** An account's day is given to the report of another day or zone. */
export class ForeignDayError extends Error {
  override readonly name = 'ForeignDayError';
}

/**
 * The report of a day from the facts of its accounts: {@link newReport}, fed at once.
 *
 * @throws FinalReportError, ForeignDayError
 */
export function reportOf(
  run: Run,
  accounts: Iterable<AccountDayFacts>,
  nobodys: readonly QuarantineEvent[] = [],
): DayReport {
  const maker = newReport(run);
  for (const facts of accounts) maker.add(facts);
  maker.addQuarantined(nobodys);
  return maker.finish();
}

/**
 * Begins the report of a day.
 *
 * @throws FinalReportError where the run before was final
 */
export function newReport(run: Run): ReportMaker {
  if (run.previous?.state === 'final') {
    throw new FinalReportError(`The report of ${run.date}, ${run.timezone}, is final: later facts are corrections`);
  }
  return new Maker(run);
}

interface Zone {
  readonly sums: Sums;
  startsAt: string;
  resetsAt: string;
  missing: number;
}

class Maker implements ReportMaker {
  readonly #run: Run;
  readonly #hoursOf = rememberedHours();
  readonly #all: Sums;
  readonly #zones = new Map<string, Zone>();
  readonly #accounts: AccountReport[] = [];
  readonly #missing: Missing[] = [];
  readonly #late: LateRow[] = [];
  readonly #reconciliation = { agrees: 0, drift: 0, moved: 0, unknown: 0 };

  constructor(run: Run) {
    this.#run = run;
    this.#all = new Sums(run.timezone === allZones ? 'own' : 'shared');
  }

  add(facts: AccountDayFacts): void {
    const { date, timezone, nowMs, weekBefore } = this.#run;
    if (facts.date !== date || (timezone !== allZones && facts.timezone !== timezone)) {
      throw new ForeignDayError(
        `A report of ${date}, ${timezone}, takes no account-day of ${facts.date}, ${facts.timezone}`,
      );
    }
    const before = weekBefore?.accounts.get(accountKey(facts));
    const day = accountDay(facts, { nowMs, hoursOf: this.#hoursOf, weekBefore: before });
    this.#all.add(day);
    this.#addToZone(day.report, day.missing.length).sums.add(day);
    this.#accounts.push(day.report);
    this.#missing.push(...day.missing);
    this.#reconciliation[day.report.reconciliation.state]++;
    for (const [eventId, receivedAt] of new Map(facts.lateEvents.map((late) => [late.eventId, late.receivedAt]))) {
      this.#late.push({ accountId: facts.accountId, timezone: facts.timezone, eventId, receivedAt });
    }
  }

  addQuarantined(events: readonly QuarantineEvent[]): void {
    this.#all.addQuarantined(distinct(events).events);
  }

  finish(): DayReport {
    const { date, timezone, run, nowMs, previous, weekBefore, corrections = [], deadLetters = [] } = this.#run;
    const zones = this.#zoneReports();
    const bounds = this.#bounds(zones);
    return {
      schemaVersion: reportSchemaVersion,
      date,
      timezone,
      state:
        zones.length === 0
          ? stateOf({ ...msOf(bounds), nowMs, missing: 0 })
          : leastState(zones.map(({ state }) => state)),
      run,
      ...(previous?.eventId === undefined ? {} : { supersedes: previous.eventId }),
      generatedAt: toRfc3339(nowMs),
      bounds: { ...bounds, finalAt: toRfc3339(Date.parse(bounds.resetsAt) + finalAfterMs) },
      missing: this.#missing.sort((a, b) => byAccount(a, b) || compareText(a.bookingId, b.bookingId)),
      totals: this.#all.totals(weekBefore?.totals),
      zones,
      reconciliation: this.#reconciliation,
      deadLetters: [...deadLetters],
      attention: attentionOf(this.#accounts),
      corrections: [...corrections],
      lateEvents: this.#late.sort((a, b) => byAccount(a, b) || compareText(a.eventId, b.eventId)).slice(0, lateRowsMax),
      accounts: this.#accounts.sort(byAccount),
    };
  }

  #addToZone({ timezone, startsAt, resetsAt }: AccountReport, missing: number): Zone {
    const zone = this.#zones.get(timezone) ?? { sums: new Sums('shared'), startsAt, resetsAt, missing: 0 };
    this.#zones.set(timezone, zone);
    if (startsAt < zone.startsAt) zone.startsAt = startsAt;
    if (resetsAt > zone.resetsAt) zone.resetsAt = resetsAt;
    zone.missing += missing;
    return zone;
  }

  #zoneReports(): ZoneReport[] {
    const { nowMs, weekBefore } = this.#run;
    return [...this.#zones]
      .sort(([a], [b]) => compareText(a, b))
      .map(([timezone, { sums, startsAt, resetsAt, missing }]) => ({
        timezone,
        startsAt,
        resetsAt,
        state: stateOf({ resetsAtMs: Date.parse(resetsAt), nowMs, missing }),
        ...sums.totals(weekBefore?.zones.get(timezone)),
      }));
  }

  /** The bounds of all zones; without any account those of the zone's own day, or UTC's. */
  #bounds(zones: readonly ZoneReport[]): { startsAt: string; resetsAt: string } {
    const { date, timezone } = this.#run;
    const own = zones.length === 0 ? [windowOn(date, timezone === allZones ? 'UTC' : timezone)] : zones;
    const starts = own.map(({ startsAt }) => startsAt).sort(compareText);
    const ends = own.map(({ resetsAt }) => resetsAt).sort(compareText);
    return { startsAt: starts[0] ?? '', resetsAt: ends.at(-1) ?? '' };
  }
}

function msOf({ resetsAt }: { readonly resetsAt: string }): { resetsAtMs: number } {
  return { resetsAtMs: Date.parse(resetsAt) };
}

type Named = Pick<AccountReport, 'accountId' | 'timezone'>;

function byAccount(a: Named, b: Named): number {
  return compareText(a.accountId, b.accountId) || compareText(a.timezone, b.timezone);
}
