import { closingGraceMs, finalAfterMs } from '../aggregate/state.ts';
import { allZones } from '../model/report.ts';
import type { ReportPorts } from '../ports.ts';
import { daysAfter, utcDate } from '../store/quarantine-day.ts';
import { type DayRuns, noRuns, type Progress } from '../store/runs.ts';
import { type AccountDay, accountDaysOf } from './account-days.ts';
import { firstOpenMonth, monthBefore } from './months.ts';

const hourMs = 3_600_000;
/** A date begins first at UTC+14 and ends last at UTC-12, both from the first instant of it in UTC. */
const firstEndMs = 10 * hourMs;
const lastEndMs = 36 * hourMs;
/** A date is looked through for accounts of further zones until so long after its last end. */
const lookThroughMs = 2 * hourMs;
/** The most by which the clocks of consumer and closer may differ. A look too many finds nothing new. */
const clockSkewMs = 60_000;

/** The instant of the latest mark, by date. */
export type Marks = ReadonlyMap<string, number>;

/**
 * The marks since those that closers have looked at, by date. A mark on a booking is on the date of its window, if the booking
 * is that account's: bodies can say anything.
 */
export async function readMarks(
  { facts, days }: Pick<ReportPorts, 'facts' | 'days'>,
  { marksThroughMs }: Pick<Progress, 'marksThroughMs'>,
): Promise<Marks> {
  const marks = new Map<string, number>();
  for (const mark of await facts.marks()) {
    if (!isNewer(mark.storedAtMs, marksThroughMs)) continue;
    const date = 'date' in mark ? mark.date : await dateOfBooking(days, mark);
    if (date !== undefined) marks.set(date, Math.max(marks.get(date) ?? 0, mark.storedAtMs));
  }
  return marks;
}

async function dateOfBooking(
  days: ReportPorts['days'],
  { accountId, bookingId }: { readonly accountId: string; readonly bookingId: string },
): Promise<string | undefined> {
  const header = (await days.headers([bookingId])).get(bookingId);
  return header?.accountId === accountId ? header.date : undefined;
}

/** A date's days of which a report is due, and the state of the date as a whole. */
export interface DueDays {
  readonly runs: readonly DayRuns[];
  /** True where every report of the date is final, or nobody has a day of that date. */
  readonly isFinal: boolean;
}

/**
 * The point that closers have come to. A stage's reports begin with the days that end after its first start, zone by zone; dates
 * that had ended everywhere by then are taken for final.
 */
export async function beginReports(runs: ReportPorts['runs'], nowMs: number): Promise<Progress> {
  const known = await runs.progress();
  if (known !== undefined) return known;
  const finalThrough = utcDate(nowMs - lastEndMs - closingGraceMs);
  const monthsThrough = monthBefore(firstOpenMonth(finalThrough));
  const begun: Progress = { finalThrough, marksThroughMs: 0, monthsThrough, begunAtMs: nowMs };
  await runs.setProgress(begun);
  return begun;
}

/** The dates that are not final yet and may have ended somewhere, the oldest first. */
export function openDates({ finalThrough }: Pick<Progress, 'finalThrough'>, nowMs: number): string[] {
  const dates: string[] = [];
  for (let date = daysAfter(finalThrough, 1); Date.parse(date) + firstEndMs <= nowMs; date = daysAfter(date, 1)) {
    dates.push(date);
  }
  return dates;
}

/** The surroundings in which it is judged what is due. */
export interface DueContext {
  readonly nowMs: number;
  readonly marks: Marks;
  /** The instant of the last run that left nothing to do ({@link Progress}). */
  readonly wholeAtMs: number;
}

/** The reports of a date that are due at an instant. */
export async function dueOn(ports: ReportPorts, date: string, context: DueContext): Promise<DueDays> {
  const { nowMs, marks, wholeAtMs } = context;
  const stored = new Map((await ports.runs.ofDate(date)).map((runs) => [runs.timezone, runs]));
  const overMs = Date.parse(date) + lastEndMs + closingGraceMs;
  const ends = new Map<string, number>();
  const changes = new Map<string, number>();
  // A run that was begun and never sealed is due whenever its day ended.
  for (const [timezone, { sealed }] of stored) ends.set(timezone, sealed?.resetsAtMs ?? 0);
  // By the last run and not by the clock: a closer that stood still has not looked when it was time.
  if (stored.get(allZones)?.sealed === undefined || wholeAtMs < overMs + lookThroughMs) {
    for await (const day of accountDaysOf(ports, date)) {
      const resetsAtMs = Date.parse(day.window.resetsAt);
      for (const zone of [day.timezone, allZones]) ends.set(zone, Math.max(ends.get(zone) ?? 0, resetsAtMs));
      for (const [zone, leftAtMs] of zonesLeft(day)) changes.set(zone, Math.max(changes.get(zone) ?? 0, leftAtMs));
    }
  }
  for (const [timezone, resetsAtMs] of ends) {
    const isNew = timezone !== allZones && stored.get(timezone)?.sealed === undefined;
    // The report of all zones is the sum: a zone that is told for the first time is new in it.
    if (isNew && nowMs >= resetsAtMs + closingGraceMs) changes.set(allZones, nowMs);
  }
  const days = [...ends].map(([timezone, resetsAtMs]) => ({
    runs: stored.get(timezone) ?? noRuns({ date, timezone }),
    resetsAtMs,
    changedAtMs: Math.max(marks.get(date) ?? 0, changes.get(timezone) ?? 0),
  }));
  const isFinal = days.every(
    ({ runs: { sealed, begun } }) => sealed?.state === 'final' && sealed.isPublished && !begun,
  );
  return {
    runs: days
      .filter((day) => isDue(day, nowMs))
      .map(({ runs }) => runs)
      .sort(byZone),
    isFinal: isFinal && nowMs >= overMs + finalAfterMs,
  };
}

/** The zones whose report may have told an account's day before it moved west, each with the instant of the move. */
function zonesLeft({ timezone, bookings }: AccountDay): Map<string, number> {
  const others = bookings.filter((booking) => booking.timezone !== timezone);
  if (others.length === 0) return new Map();
  const here = bookings.filter((booking) => booking.timezone === timezone);
  const movedAtMs = Math.min(...here.map(({ acceptedAt }) => Date.parse(acceptedAt)));
  return new Map(others.map((booking) => [booking.timezone, movedAtMs]));
}

/** A day of which a report may be due. */
export interface DueDay {
  readonly runs: DayRuns;
  /** The end of the day, as far as it is known. */
  readonly resetsAtMs: number;
  /** The latest instant at which something may have come that changes its report; 0 where nothing did. */
  readonly changedAtMs: number;
}

/**
 * True where there is something to do for a day: its first report, one that was begun, one that was told before the last of
 * its zones had ended, a later fact, or its last report.
 */
export function isDue({ runs, resetsAtMs, changedAtMs }: DueDay, nowMs: number): boolean {
  const { sealed, begun, lookedAtMs } = runs;
  if (begun !== undefined) return true;
  const dueAtMs = resetsAtMs + closingGraceMs;
  if (sealed === undefined) return nowMs >= dueAtMs;
  if (!sealed.isPublished) return true;
  if (isNewer(changedAtMs, lookedAtMs)) return true;
  if (lookedAtMs < dueAtMs && nowMs >= dueAtMs) return true;
  return sealed.state !== 'final' && nowMs >= resetsAtMs + finalAfterMs;
}

/** True of a mark that may be of a fact which the last look did not see. */
export function isNewer(storedAtMs: number, lookedAtMs: number): boolean {
  return storedAtMs + clockSkewMs > lookedAtMs;
}

/** Single zones first: the report of all zones is the sum. */
function byZone(a: DayRuns, b: DayRuns): number {
  const order = Number(a.timezone === allZones) - Number(b.timezone === allZones);
  return order || (a.timezone < b.timezone ? -1 : 1);
}
