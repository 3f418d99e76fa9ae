import type { DailyQuotaReport } from '@usher/contracts';
import type { DeadLetters, ReportState } from '../model/report.ts';

/** The time for which facts, runs and corrections are kept: longer than the archive of events, so that no replay finds a gap. */
export const factsKeptMs = 100 * 86_400_000;

/** A day of a zone, or of all zones: what one report is about. */
export interface ReportedDay {
  readonly date: string;
  /** An IANA zone, or `all`. */
  readonly timezone: string;
}

/** A run that a closer has claimed and not finished. Whoever takes it over after the lease makes the same run. */
export interface BegunRun {
  readonly run: number;
  /** The instant of the report, by which everything in it is judged. */
  readonly nowMs: number;
  /** The attempt that works on it, and until when nobody else may. */
  readonly attempt: string;
  readonly leaseUntilMs: number;
  readonly deadLetters: readonly DeadLetters[];
}

/** A run whose files are written. From then on it never changes: the event tells these digests. */
export interface SealedRun {
  readonly run: number;
  readonly nowMs: number;
  readonly state: ReportState;
  readonly resetsAtMs: number;
  /** The path of the run's folder. */
  readonly folder: string;
  readonly files: DailyQuotaReport['data']['files'];
  readonly totals: DailyQuotaReport['data']['totals'];
  readonly supersedes?: string;
  /** Digest of what the report says, without the instants at which it says so. */
  readonly digest: string;
  readonly isPublished: boolean;
}

/** All that is kept of a day's runs. */
export interface DayRuns extends ReportedDay {
  /** Raised by every write; 0 where nothing is stored. */
  readonly rev: number;
  readonly sealed?: SealedRun;
  readonly begun?: BegunRun;
  /** Marks up to this instant were looked at. */
  readonly lookedAtMs: number;
}

/** A file of corrections of a day whose report is final. */
export interface CorrectionFile extends ReportedDay {
  /** 1 for the first file of the day, one more for each after it. */
  readonly number: number;
  readonly path: string;
  /** The later day whose reports carry it, once one does. */
  readonly carriedBy?: string;
}

/** The point that closers have come to. */
export interface Progress {
  /** The date up to which all reports are final. */
  readonly finalThrough: string;
  /** The instant of the last run that left nothing to do: up to it every mark was looked at, and every day that was due. */
  readonly marksThroughMs: number;
  /** The month, `YYYY-MM`, up to which all files of months are written. */
  readonly monthsThrough: string;
  /** The instant at which reports began. Of days that were over by then only those with a booking are told of. */
  readonly begunAtMs: number;
}

/** A store of runs. Each method is one call, and each write holds only while what it changes is as it was read. */
export interface Runs {
  read(day: ReportedDay): Promise<DayRuns>;
  /** Every day of a date of which anything is stored. */
  ofDate(date: string): Promise<readonly DayRuns[]>;
  /** Writes with `rev` raised by one, if that in the store is the one given; false where it is another. */
  write(runs: DayRuns): Promise<boolean>;
  /** Undefined before the first closer. */
  progress(): Promise<Progress | undefined>;
  setProgress(progress: Progress): Promise<void>;
  /** The files of corrections of a zone, those of a day in order. */
  corrections(timezone: string): Promise<readonly CorrectionFile[]>;
  /** Notes a file, unless there is another of its day and number; false then. */
  addCorrection(file: CorrectionFile): Promise<boolean>;
  /** Gives a file to the reports of a later day, unless those of another carry it; false then. */
  carryCorrection(file: CorrectionFile, carriedBy: string): Promise<boolean>;
}

/** A day's runs before the first. */
export function noRuns({ date, timezone }: ReportedDay): DayRuns {
  return { date, timezone, rev: 0, lookedAtMs: 0 };
}
