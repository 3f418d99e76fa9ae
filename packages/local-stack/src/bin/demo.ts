import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '@usher/cli';
import { systemClock } from '@usher/limiter-core';
import { readArguments } from '../demo/arguments.ts';
import { BookingFileError, readBookingFiles } from '../demo/booking-file.ts';
import { UndecidedError } from '../demo/decisions.ts';
import { createProgress } from '../demo/progress.ts';
import { renderSummary, toJson } from '../demo/render.ts';
import { runDemo } from '../demo/run-demo.ts';
import { SubmissionRefusedError } from '../demo/submit.ts';
import { summarise } from '../demo/summary.ts';
import { loadPolicies, PolicyFileError } from '../policies.ts';

/** `pnpm demo`: exit 0 where the books balance, 1 where they do not or the run failed, 2 for input it cannot use. */
await runCommand(
  {
    name: 'demo',
    refused: [BookingFileError, PolicyFileError],
    told: [SubmissionRefusedError, UndecidedError],
    ending: '; the stack is stopped and its temporary folder removed',
    heedsSignal: true,
  },
  main,
);

async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  const { files, policies: policyFile, json, all } = readArguments(args);
  const policies = await loadPolicies(policyFile);
  const { bookings } = await readBookingFiles(files.length > 0 ? files : await exampleFiles());
  const startedAt = systemClock();
  const progress = createProgress(json ? process.stderr : process.stdout);
  const evidence = await runDemo({
    bookings,
    policies,
    progress,
    onLog: (line) => {
      progress.end();
      console.error(line);
    },
    signal,
  });
  const seconds = (systemClock() - startedAt) / 1000;
  const summary = summarise(evidence, policies);
  console.log(json ? toJson(summary, seconds) : renderSummary(summary, { all, seconds }));
  return summary.balanced && summary.dispatch.conforms ? 0 : 1;
}

async function exampleFiles(): Promise<string[]> {
  const folder = join(import.meta.dirname, '../../../../examples');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.csv')).sort();
  return names.map((name) => join(folder, name));
}
