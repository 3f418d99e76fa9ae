import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { systemClock } from '@usher/limiter-core';
import { ignoreProxies } from '@usher/loopback';
import { loadPolicies } from '../policies.ts';
import type { DemoArguments } from './arguments.ts';
import { summarise } from './audit/summary.ts';
import { readBookingFiles } from './input/booking-file.ts';
import { renderPictures } from './output/pictures.ts';
import { createProgress } from './output/progress.ts';
import { renderSummary, toJson } from './output/render.ts';
import { openReportsFolder } from './output/reports-folder.ts';
import { createRowsFile, rowsAsCsv } from './output/rows-file.ts';
import { type DemoRun, runDemo } from './run/run-demo.ts';

/** The demo as its command line asks for it, results printed. Answers the exit code: 0 where all is as promised. */
export async function demo(
  { files, policies: policyFile, json, all, rows: rowsPath, reports, pictures }: DemoArguments,
  signal: AbortSignal,
): Promise<number> {
  ignoreProxies();
  const policies = await loadPolicies(policyFile);
  const { bookings, rows } = await readBookingFiles(files.length > 0 ? files : await exampleFiles());
  const rowsFile = rowsPath === undefined ? undefined : await createRowsFile(rowsPath);
  const discard: (() => Promise<void>)[] = rowsFile === undefined ? [] : [rowsFile.discard];
  const startedAtMs = systemClock();
  const progress = createProgress(process.stderr);
  const onLog = (line: string): void => {
    progress.end();
    console.error(line);
  };
  let evidence: DemoRun;
  try {
    const folder = await openReportsFolder(reports === undefined ? newReportsDir() : resolve(reports));
    discard.push(folder.discard);
    evidence = await runDemo({ bookings, policies, reportsDir: folder.path, progress, onLog, signal });
  } catch (error) {
    for (const leave of discard) await leave();
    throw error;
  }
  await rowsFile?.write(rowsAsCsv(rows, evidence));
  const seconds = (systemClock() - startedAtMs) / 1000;
  const summary = summarise(evidence, policies);
  const paths = evidence.reports.join('\n');
  if (json) {
    console.error(`The day's report\n${paths}`);
    console.log(toJson(summary, { seconds, reports: evidence.reports }));
  } else {
    console.log(renderSummary(summary, { all, seconds }));
    if (pictures ?? showsPictures()) console.log(renderPictures(summary.accounts));
    console.log(`The day's report\n${paths}`);
  }
  return summary.balanced && summary.dispatch.conforms ? 0 : 1;
}

/** A folder that no other run has, beside that of the stack. */
function newReportsDir(): string {
  return resolve('.usher', 'demo-reports', randomUUID());
}

/** Pictures are for people at a terminal that draws, and not for those who ask for plain text. */
function showsPictures(): boolean {
  const { NO_COLOR, TERM } = process.env;
  return Boolean(process.stdout.isTTY) && !NO_COLOR && TERM !== 'dumb';
}

async function exampleFiles(): Promise<string[]> {
  const folder = join(import.meta.dirname, '../../../../examples');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.csv')).sort();
  return names.map((name) => join(folder, name));
}
