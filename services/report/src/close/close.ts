import { errorFields } from '@usher/service';
import { reportMetrics } from '../metrics.ts';
import type { ReportPorts } from '../ports.ts';
import type { DayRuns, Progress, ReportedDay } from '../store/runs.ts';
import { correctDay } from './correct-day.ts';
import { beginReports, type DueContext, dueOn, isNewer, type Marks, openDates, readMarks } from './due.ts';
import { dueMonths, writeMonth } from './months.ts';
import { runDay } from './run-day.ts';

/** Days or months could not be closed; what they failed with is in the log, and the next run tries them again. */
export class NotClosedError extends Error {
  override readonly name = 'NotClosedError';
}

/** The reports that one run of the closer has written. */
export interface Closing {
  readonly told: readonly ReportedDay[];
}

/**
 * One run of the closer: writes every report that is due, and then the months that are over. A day that fails holds up no other,
 * and a month no day.
 *
 * @throws NotClosedError
 */
export async function close(ports: ReportPorts): Promise<Closing> {
  const nowMs = ports.clock();
  const closer = new Closer(ports);
  const before = await beginReports(ports.runs, nowMs);
  const marks = await readMarks(ports, before);
  let { finalThrough } = before;
  let isFinal = true;
  const context = { nowMs, marks, wholeAtMs: before.marksThroughMs };
  for (const date of openDates(before, nowMs)) {
    // A date that cannot be looked at is not final, and none behind it is passed over.
    isFinal = (await closer.closeDate(date, context)) && isFinal;
    if (isFinal) finalThrough = date;
  }
  await closer.correctOlder(before, marks);
  const marksThroughMs = closer.isWhole ? nowMs : before.marksThroughMs;
  const progress = { ...before, finalThrough, marksThroughMs };
  await ports.runs.setProgress(progress);
  await closer.writeMonths(progress);
  ports.meter.time(reportMetrics.closeDuration, ports.clock() - nowMs);
  if (closer.failures > 0) {
    ports.meter.count(reportMetrics.closeFailures, closer.failures);
    throw new NotClosedError(`${closer.failures} days or months could not be closed`);
  }
  return { told: closer.told };
}

class Closer {
  readonly #ports: ReportPorts;
  readonly told: ReportedDay[] = [];
  failures = 0;
  /** False once a day was left to another closer or to the next run: its marks have to be looked at again. */
  isWhole = true;

  constructor(ports: ReportPorts) {
    this.#ports = ports;
  }

  /** Writes the reports of a date that are due; true where all of its reports were final before. */
  async closeDate(date: string, context: DueContext): Promise<boolean> {
    let isFinal = false;
    await this.#attempt({ date }, async () => {
      const due = await dueOn(this.#ports, date, context);
      for (const runs of due.runs) await this.#attempt(runs, () => this.#workOn(runs));
      isFinal = due.isFinal;
    });
    return isFinal;
  }

  /** Looks at days that were final already when a fact of them came. */
  async correctOlder({ finalThrough }: Progress, marks: Marks): Promise<void> {
    for (const [date, storedAtMs] of marks) {
      if (date > finalThrough) continue;
      await this.#attempt({ date }, async () => {
        for (const runs of await this.#ports.runs.ofDate(date)) {
          if (isNewer(storedAtMs, runs.lookedAtMs)) await this.#attempt(runs, () => this.#correct(runs));
        }
      });
    }
  }

  /** Writes the months that are over, each noted before the next. One that fails is the next run's, and those behind it. */
  async writeMonths(progress: Progress): Promise<void> {
    for (const month of dueMonths(progress)) {
      try {
        await writeMonth(this.#ports, month);
        await this.#ports.runs.setProgress({ ...progress, monthsThrough: month });
      } catch (error) {
        this.failures++;
        this.#ports.log.error('A month could not be written', { month, ...errorFields(error) });
        return;
      }
    }
  }

  async #workOn(runs: DayRuns): Promise<void> {
    const { date, timezone, sealed } = runs;
    if (sealed?.state === 'final' && sealed.isPublished) return this.#correct(runs);
    const end = await runDay(this.#ports, runs);
    if (end === 'told') this.told.push({ date, timezone });
    if (end === 'busy') this.isWhole = false;
  }

  async #correct(runs: DayRuns): Promise<void> {
    if (runs.sealed?.state !== 'final') return;
    if ((await correctDay(this.#ports, runs, runs.sealed)) === 'busy') this.isWhole = false;
  }

  async #attempt(day: { readonly date: string; readonly timezone?: string }, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.failures++;
      this.isWhole = false;
      const { date, timezone } = day;
      this.#ports.log.error('A day could not be closed', { date, timezone, ...errorFields(error) });
    }
  }
}
