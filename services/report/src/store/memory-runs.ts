import { type CorrectionFile, type DayRuns, noRuns, type Progress, type ReportedDay, type Runs } from './runs.ts';

/** Runs in memory, for tests and simulations. */
export class MemoryRuns implements Runs {
  readonly #days = new Map<string, DayRuns>();
  readonly #corrections = new Map<string, CorrectionFile>();
  #progress: Progress | undefined;

  async read(day: ReportedDay): Promise<DayRuns> {
    return this.#days.get(keyOf(day)) ?? noRuns(day);
  }

  async ofDate(date: string): Promise<readonly DayRuns[]> {
    return [...this.#days.values()].filter((day) => day.date === date);
  }

  async write(runs: DayRuns): Promise<boolean> {
    const key = keyOf(runs);
    // Nothing is awaited in between: another write would come in.
    if ((this.#days.get(key)?.rev ?? 0) !== runs.rev) return false;
    this.#days.set(key, { ...runs, rev: runs.rev + 1 });
    return true;
  }

  async progress(): Promise<Progress | undefined> {
    return this.#progress;
  }

  async setProgress(progress: Progress): Promise<void> {
    this.#progress = progress;
  }

  async corrections(timezone: string): Promise<readonly CorrectionFile[]> {
    return [...this.#corrections.values()].filter((file) => file.timezone === timezone);
  }

  async addCorrection(file: CorrectionFile): Promise<boolean> {
    const key = correctionKeyOf(file);
    if (this.#corrections.has(key)) return this.#corrections.get(key)?.path === file.path;
    this.#corrections.set(key, file);
    return true;
  }

  async carryCorrection(file: CorrectionFile, carriedBy: string): Promise<boolean> {
    const key = correctionKeyOf(file);
    const known = this.#corrections.get(key);
    if (known === undefined || (known.carriedBy ?? carriedBy) !== carriedBy) return false;
    this.#corrections.set(key, { ...known, carriedBy });
    return true;
  }
}

function keyOf({ date, timezone }: ReportedDay): string {
  return `${date} ${timezone}`;
}

function correctionKeyOf({ date, timezone, number }: CorrectionFile): string {
  return `${date} ${timezone} ${number}`;
}
