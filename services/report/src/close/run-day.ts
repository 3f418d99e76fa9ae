import { toRfc3339 } from '@usher/limiter-core/bulk';
import { accountFilesOf } from '../forms/account-files.ts';
import { type FileSeal, type ReportFile, sealOf } from '../forms/file.ts';
import { filesOf } from '../forms/files.ts';
import { reportMetrics } from '../metrics.ts';
import { allZones, type DayReport } from '../model/report.ts';
import type { ReportPorts } from '../ports.ts';
import type { BegunRun, DayRuns, ReportedDay, SealedRun } from '../store/runs.ts';
import { inLanes } from './lanes.ts';
import { makeReport } from './make-report.ts';
import { eventIdOf, eventTotals, reportEvent } from './report-event.ts';
import { saidDigest } from './said.ts';

/** The time for which a closer may work on what it has begun: Lambda ends it before that. Then another takes it over. */
export const leaseMs = 14 * 60_000;

/** Files of single accounts that are put at once. */
const fileLanes = 16;

/** A run's end: `told`, or with nothing new to tell, or because another closer is at it. */
export type RunEnd = 'told' | 'nothing new' | 'busy';

/**
 * Makes one run of a day's report, in steps that a repeat goes on from:
 * 1. claim: the run's number and instant are stored; 2. its files are written; 3. seal: their digests are stored, and from now
 * on nothing of the run changes; 4. the event is published; 5. that is stored.
 * After a crash before the seal the repeat writes the same files again; after it the repeat publishes the same event.
 */
export async function runDay(ports: ReportPorts, runs: DayRuns): Promise<RunEnd> {
  if (runs.sealed !== undefined && !runs.sealed.isPublished) return publish(ports, runs, runs.sealed);
  const begun = await claim(ports, runs);
  if (begun === undefined) return 'busy';
  const claimed: DayRuns = { ...runs, rev: runs.rev + 1, begun };
  const report = await makeReport(ports, claimed, { ...begun, carries: await carriedBy(ports.runs, runs) });
  const digest = saidDigest(report);
  const { begun: _, ...rest } = claimed;
  if (runs.sealed?.digest === digest) {
    return (await ports.runs.write({ ...rest, lookedAtMs: begun.nowMs })) ? 'nothing new' : 'busy';
  }
  const folder = folderOf(runs, begun.run);
  const files = await writeFiles(ports, folder, report);
  const sealed: SealedRun = {
    run: begun.run,
    nowMs: begun.nowMs,
    state: report.state,
    resetsAtMs: Date.parse(report.bounds.resetsAt),
    folder,
    files,
    totals: eventTotals(report),
    ...(runs.sealed === undefined ? {} : { supersedes: eventIdOf({ ...runs, run: runs.sealed.run }) }),
    digest,
    isPublished: false,
  };
  const written = { ...rest, sealed, lookedAtMs: begun.nowMs };
  if (!(await ports.runs.write(written))) return 'busy';
  return publish(ports, { ...written, rev: written.rev + 1 }, sealed);
}

/** Stores the run that is to be made: a new one, or one that was begun and whose lease is over. */
async function claim(
  { runs, clock, runLeaseMs = leaseMs, randomId, deadLetters }: ReportPorts,
  day: DayRuns,
): Promise<BegunRun | undefined> {
  const nowMs = clock();
  const { begun, sealed } = day;
  if (begun !== undefined && begun.leaseUntilMs > nowMs) return undefined;
  const lookedAt = toRfc3339(nowMs);
  const fresh = begun ?? {
    run: (sealed?.run ?? 0) + 1,
    nowMs,
    deadLetters: (await deadLetters()).map((queue) => ({ ...queue, lookedAt })),
  };
  const mine: BegunRun = { ...fresh, attempt: randomId(), leaseUntilMs: nowMs + runLeaseMs };
  return (await runs.write({ ...day, begun: mine })) ? mine : undefined;
}

/**
 * The files of corrections that a day's reports carry. Its first run takes those of earlier days that no other day carries, and
 * all later runs carry them too. It is asked by whoever has the claim, so that nothing is taken for a run that is not made.
 */
async function carriedBy(runs: ReportPorts['runs'], { date, timezone, sealed }: DayRuns): Promise<string[]> {
  const paths: string[] = [];
  for (const file of await runs.corrections(timezone)) {
    const isFree = sealed === undefined && file.carriedBy === undefined && file.date < date;
    const isOurs = file.carriedBy === date || (isFree && (await runs.carryCorrection(file, date)));
    if (isOurs) paths.push(file.path);
  }
  return paths;
}

function folderOf({ date, timezone }: ReportedDay, run: number): string {
  return `${date}/${timezone}/run-${run}`;
}

async function writeFiles({ files }: ReportPorts, folder: string, report: DayReport): Promise<FileSeal[]> {
  const put = (file: ReportFile): Promise<void> => files.put(`${folder}/${file.name}`, file);
  // A partner's file is the same in the report of all zones, and it is there with that of its zone already.
  if (report.timezone !== allZones) await inLanes(accountFilesOf(report), fileLanes, put);
  const seals: FileSeal[] = [];
  for (const file of filesOf(report)) {
    await put(file);
    seals.push({ ...sealOf(file), name: `${folder}/${file.name}` });
  }
  return seals;
}

async function publish(ports: ReportPorts, day: DayRuns, sealed: SealedRun): Promise<RunEnd> {
  await ports.publish(reportEvent(day, sealed));
  await ports.runs.write({ ...day, sealed: { ...sealed, isPublished: true } });
  ports.meter.count(reportMetrics.reports, 1);
  const { date, timezone } = day;
  ports.log.info('A report was written', { date, timezone, run: sealed.run, state: sealed.state });
  return 'told';
}
