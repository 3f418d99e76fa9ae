import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type } from 'arktype';
import { Coverage } from './faults.ts';
import type { runSeed as RunSeed } from './run.ts';

const SeedFailure = type({
  seed: 'number',
  promises: 'number[]',
  violations: 'string[]',
  traceTail: 'string[]',
});

const counts = type({ '[string]': 'number' });
/** {@link Coverage} as plain objects. */
const CoverageCounts = type({ pairs: counts, incidents: counts, calls: counts, overdue: counts });
export type CoverageCounts = typeof CoverageCounts.infer;

const SeedsReport = type({
  seeds: 'number',
  events: 'number',
  failures: SeedFailure.array(),
  coverage: CoverageCounts,
  /** The hash of each seed's trace, in the order of the seeds. */
  hashes: 'string[]',
  lastTrace: 'string[]',
});
/** The result of a set of seeds, as JSON can carry it. */
export type SeedsReport = typeof SeedsReport.infer;
const readReport = type('string.json.parse').to(SeedsReport);

const traceTailLines = 15;

/** Plays seeds one after another. */
export async function runSeeds(of: {
  from: number;
  to: number;
  runSeed: typeof RunSeed;
  traceLines: number;
}): Promise<SeedsReport> {
  const coverage = new Coverage();
  const failures: SeedsReport['failures'] = [];
  const hashes: string[] = [];
  let events = 0;
  let lastTrace: string[] = [];
  for (let seed = of.from; seed <= of.to; seed++) {
    const run = await of.runSeed(seed, coverage);
    events += run.events;
    hashes.push(run.traceHash);
    lastTrace = run.trace.slice(-of.traceLines);
    if (run.violations.length === 0) continue;
    failures.push({
      seed,
      promises: run.violations.map(({ promise }) => promise),
      violations: run.violations.map(({ promise, message }) => `${nameOf(promise)}: ${message}`),
      traceTail: run.trace.slice(-(of.from === of.to ? of.traceLines : traceTailLines)),
    });
  }
  const counts = Object.fromEntries(
    (['pairs', 'incidents', 'calls', 'overdue'] as const).map((kind) => [kind, Object.fromEntries(coverage[kind])]),
  );
  return { seeds: of.to - of.from + 1, events, failures, coverage: { ...noCounts, ...counts }, hashes, lastTrace };
}

/** Shares seeds among processes: consecutive ones to each, so that the report's order is theirs. */
export async function inParallel(of: {
  from: number;
  to: number;
  jobs: number;
  args: readonly string[];
}): Promise<SeedsReport> {
  const each = Math.ceil((of.to - of.from + 1) / of.jobs);
  const starts = Array.from({ length: of.jobs }, (_, job) => of.from + job * each).filter((from) => from <= of.to);
  const reports = await Promise.all(
    starts.map((from) =>
      simulate(['--seeds', `${from}..${Math.min(of.to, from + each - 1)}`, '--jobs', '1', ...of.args]),
    ),
  );
  return reports.reduce(merged);
}

const run = promisify(execFile);

/** Runs the command in a process of its own and reads its report; a broken promise is a report too. */
export async function simulate(args: readonly string[]): Promise<SeedsReport> {
  return readReport.assert(await simulationOutput(args));
}

/** The command's output with `--json`, whatever its exit code. */
export async function simulationOutput(args: readonly string[]): Promise<string> {
  const command = [join(import.meta.dirname, 'main.ts'), ...args, '--json'];
  try {
    return (await run(process.execPath, command, { maxBuffer: 256 * 1024 * 1024 })).stdout;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 1 && 'stdout' in error && error.stdout !== '') {
      return String(error.stdout);
    }
    throw error;
  }
}

const noCounts: CoverageCounts = { pairs: {}, incidents: {}, calls: {}, overdue: {} };

function merged(a: SeedsReport, b: SeedsReport): SeedsReport {
  return {
    seeds: a.seeds + b.seeds,
    events: a.events + b.events,
    failures: [...a.failures, ...b.failures],
    coverage: {
      pairs: summed(a.coverage.pairs, b.coverage.pairs),
      incidents: summed(a.coverage.incidents, b.coverage.incidents),
      calls: summed(a.coverage.calls, b.coverage.calls),
      overdue: summed(a.coverage.overdue, b.coverage.overdue),
    },
    hashes: [...a.hashes, ...b.hashes],
    lastTrace: b.lastTrace,
  };
}

function summed(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): Record<string, number> {
  const sums = { ...a };
  for (const [name, count] of Object.entries(b)) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

const promiseNames = [
  'contract',
  'promise 1, never over the limit',
  'promise 2, exactly once',
  'promise 3, nothing lost',
  'promise 4, denials cost no quota',
  'promise 5, fair in order',
  'promise 6, smooth',
  'promise 7, books that balance',
];

function nameOf(promise: number): string {
  return promiseNames[promise] ?? `promise ${promise}`;
}
