import { closingGraceMs, finalAfterMs } from '../aggregate/state.ts';
import { allZones } from '../model/report.ts';
import type { ReportPorts } from '../ports.ts';
import { daysAfter, utcDate } from '../store/quarantine-day.ts';
import { type DayRuns, noRuns, type Progress, type ReportedDay } from '../store/runs.ts';
import { accountDaysOf } from './account-days.ts';

const hourMs = 3_600_000;
/** A date begins first at UTC+14 and ends last at UTC-12, both from the first instant of it in UTC. */
const firstEndMs = 10 * hourMs;
const lastEndMs = 36 * hourMs;
/** A date is looked through for accounts of further zones until so long after its last end. */
const lookThroughMs = 2 * hourMs;
/** The most by which the clocks of consumer and closer may differ. A look too many finds nothing new. */
const clockSkewMs = 60_000;

/** The instant of the latest mark, by date and zone. */
export type Marks = ReadonlyMap<string, number>;

export function markKey(date: string, timezone: string): string {
  return `${date} ${timezone}`;
}

/**
 * The marks since those that closers have looked at, by day and zone, each also on the day of all zones. A mark on a booking is
 * on the day of its window, if the booking is that account's: bodies can say anything.
 */
export async function readMarks(
  { facts, days }: Pick<ReportPorts, 'facts' | 'days'>,
  { marksThroughMs }: Pick<Progress, 'marksThroughMs'>,
): Promise<Marks> {
  const marks = new Map<string, number>();
  for (const mark of await facts.marks()) {
    if (!isNewer(mark.storedAtMs, marksThroughMs)) continue;
    const day = 'date' in mark ? mark : await dayOfBooking(days, mark);
    if (day === undefined) continue;
    for (const key of [markKey(day.date, day.timezone), markKey(day.date, allZones)]) {
      marks.set(key, Math.max(marks.get(key) ?? 0, mark.storedAtMs));
    }
  }
  return marks;
}

async function dayOfBooking(
  days: ReportPorts['days'],
  { accountId, bookingId }: { readonly accountId: string; readonly bookingId: string },
): Promise<ReportedDay | undefined> {
  const window = await days.windowOf(bookingId);
  return window?.accountId === accountId ? window : undefined;
}

/** A date's days of which a report is due, and the state of the date as a whole. */
export interface DueDays {
  readonly runs: readonly DayRuns[];
  /** True where every report of the date is final, or nobody has a day of that date. */
  readonly isFinal: boolean;
}

/**
 * The point that closers have come to. A stage's reports begin with the dates that end after its first start; what was before
 * is taken for final.
 */
export async function beginReports(runs: ReportPorts['runs'], nowMs: number): Promise<Progress> {
  const known = await runs.progress();
  if (known !== undefined) return known;
  const begun: Progress = { finalThrough: utcDate(nowMs - lastEndMs - closingGraceMs), marksThroughMs: 0 };
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

/** The reports of a date that are due at an instant. */
export async function dueOn(
  ports: ReportPorts,
  date: string,
  context: { nowMs: number; marks: Marks },
): Promise<DueDays> {
  const { nowMs } = context;
  const stored = new Map((await ports.runs.ofDate(date)).map((runs) => [runs.timezone, runs]));
  const overMs = Date.parse(date) + lastEndMs + closingGraceMs;
  const ends = new Map<string, number>();
  // A run that was begun and never sealed is due whenever its day ended.
  for (const [timezone, { sealed }] of stored) ends.set(timezone, sealed?.resetsAtMs ?? 0);
  if (stored.get(allZones)?.sealed === undefined || nowMs < overMs + lookThroughMs) {
    for await (const { timezone, window } of accountDaysOf(ports, date)) {
      const resetsAtMs = Date.parse(window.resetsAt);
      for (const zone of [timezone, allZones]) ends.set(zone, Math.max(ends.get(zone) ?? 0, resetsAtMs));
    }
  }
  const days = [...ends].map(([timezone, resetsAtMs]) => ({
    runs: stored.get(timezone) ?? noRuns({ date, timezone }),
    resetsAtMs,
  }));
  const isFinal = days.every(
    ({ runs: { sealed, begun } }) => sealed?.state === 'final' && sealed.isPublished && !begun,
  );
  return {
    runs: days
      .filter(({ runs, resetsAtMs }) => isDue(runs, resetsAtMs, context))
      .map(({ runs }) => runs)
      .sort(byZone),
    isFinal: isFinal && nowMs >= overMs + finalAfterMs,
  };
}

/** True where there is something to do for a day: its first report, one that was begun, a later fact, or its last report. */
export function isDue(
  { date, timezone, sealed, begun, lookedAtMs }: DayRuns,
  resetsAtMs: number,
  { nowMs, marks }: { nowMs: number; marks: Marks },
): boolean {
  if (begun !== undefined) return true;
  if (sealed === undefined) return nowMs >= resetsAtMs + closingGraceMs;
  if (!sealed.isPublished) return true;
  if (isNewer(marks.get(markKey(date, timezone)), lookedAtMs)) return true;
  return sealed.state !== 'final' && nowMs >= resetsAtMs + finalAfterMs;
}

/** True of a mark that may be of a fact which the last look did not see. */
export function isNewer(storedAtMs: number | undefined, lookedAtMs: number): boolean {
  return storedAtMs !== undefined && storedAtMs + clockSkewMs > lookedAtMs;
}

/** Single zones first: the report of all zones is the sum. */
function byZone(a: DayRuns, b: DayRuns): number {
  const order = Number(a.timezone === allZones) - Number(b.timezone === allZones);
  return order || (a.timezone < b.timezone ? -1 : 1);
}
