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
    if ((await this.read(runs)).rev !== runs.rev) return false;
    this.#days.set(keyOf(runs), { ...runs, rev: runs.rev + 1 });
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

  async putCorrection(file: CorrectionFile): Promise<void> {
    this.#corrections.set(file.path, file);
  }
}

function keyOf({ date, timezone }: ReportedDay): string {
  return `${date} ${timezone}`;
}
