import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '@usher/cli';
import { systemClock } from '@usher/limiter-core';
import { ignoreProxies } from '@usher/loopback';
import { readArguments } from '../demo/arguments.ts';
import { BookingFileError, readBookingFiles } from '../demo/booking-file.ts';
import { UndecidedError } from '../demo/decisions.ts';
import type { Evidence } from '../demo/evidence.ts';
import { renderPictures } from '../demo/pictures.ts';
import { createProgress } from '../demo/progress.ts';
import { renderSummary, toJson } from '../demo/render.ts';
import { createRowsFile, RowsFileError, rowsAsCsv } from '../demo/rows-file.ts';
import { runDemo } from '../demo/run-demo.ts';
import { SubmissionRefusedError } from '../demo/submit.ts';
import { summarise } from '../demo/summary.ts';
import { loadPolicies, PolicyFileError } from '../policies.ts';

/** `pnpm demo`: exit 0 where the books balance, 1 where they do not or the run failed, 2 for input it cannot use. */
await runCommand(
  {
    name: 'demo',
    refused: [BookingFileError, PolicyFileError, RowsFileError],
    told: [SubmissionRefusedError, UndecidedError],
    ending: '; the stack is stopped and its temporary folder removed',
    heedsSignal: true,
  },
  main,
);

async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  ignoreProxies();
  const { files, policies: policyFile, json, all, rows: rowsPath, pictures } = readArguments(args);
  const policies = await loadPolicies(policyFile);
  const { bookings, rows } = await readBookingFiles(files.length > 0 ? files : await exampleFiles());
  const rowsFile = rowsPath === undefined ? undefined : await createRowsFile(rowsPath);
  const startedAt = systemClock();
  const progress = createProgress(process.stderr);
  const onLog = (line: string): void => {
    progress.end();
    console.error(line);
  };
  let evidence: Evidence;
  try {
    evidence = await runDemo({ bookings, policies, progress, onLog, signal });
  } catch (error) {
    await rowsFile?.discard();
    throw error;
  }
  await rowsFile?.write(rowsAsCsv(rows, evidence));
  const seconds = (systemClock() - startedAt) / 1000;
  const summary = summarise(evidence, policies);
  if (json) {
    console.log(toJson(summary, seconds));
  } else {
    console.log(renderSummary(summary, { all, seconds }));
    if (pictures ?? showsPictures()) console.log(renderPictures(summary.accounts));
  }
  return summary.balanced && summary.dispatch.conforms ? 0 : 1;
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
