import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@usher/limiter-core';
import { readArguments, UsageError, usage } from '../demo/arguments.ts';
import { BookingFileError, readBookingFiles } from '../demo/booking-file.ts';
import { UndecidedError } from '../demo/decisions.ts';
import { createProgress } from '../demo/progress.ts';
import { renderSummary, toJson } from '../demo/render.ts';
import { runDemo } from '../demo/run-demo.ts';
import { SubmissionRefusedError } from '../demo/submit.ts';
import { summarise } from '../demo/summary.ts';
import { requireNode } from '../node-version.ts';
import { loadPolicies, PolicyFileError } from '../policies.ts';

class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

/** `pnpm demo`: exit 0 where the books balance, 1 where they do not or the run failed, 2 for input it cannot use. */
requireNode();
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => stopping.abort(new InterruptedError(signal)));
}

try {
  process.exitCode = await main();
} catch (error) {
  process.exitCode = explain(error);
}

async function main(): Promise<number> {
  const { files, policies: policyFile, json, all, help } = readArguments(process.argv.slice(2));
  if (help) {
    console.log(usage);
    return 0;
  }
  const policies = await loadPolicies(policyFile);
  const bookings = await readBookingFiles(files.length > 0 ? files : await exampleFiles());
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
    signal: stopping.signal,
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

function explain(error: unknown): number {
  if (error instanceof InterruptedError) {
    console.error('Interrupted; the stack is stopped and its temporary folder removed.');
    return 130;
  }
  const isInput = isOneOf(error, [UsageError, BookingFileError, PolicyFileError]);
  const isTold = isInput || isOneOf(error, [SubmissionRefusedError, UndecidedError]);
  console.error(isTold ? error.message : error);
  return isInput ? 2 : 1;
}

function isOneOf(error: unknown, kinds: readonly (new (...args: never[]) => Error)[]): error is Error {
  return kinds.some((kind) => error instanceof kind);
}
