import { parseArgs } from 'node:util';
import { breaks } from './breaks.ts';
import { coverageTable } from './coverage-table.ts';
import { Coverage } from './faults.ts';
import { loadBroken } from './load-broken.ts';
import { inParallel, runSeeds, type SeedsReport } from './run-seeds.ts';

const usage = `Usage: sim --seeds 1..2000 [--jobs 2] | --seed 7 [--trace 60] | --breaks
  --seeds A..B   plays these seeds; exit code 1 where one breaks a promise
  --seed N       plays one seed and prints the end of its trace
  --break NAME   with --seed or --seeds: breaks Usher's code first (${breaks.map(({ name }) => name).join(', ')})
  --breaks       finds a seed that catches each break
  --limits L     tight or slack limits throughout, in place of mixed ones
  --jobs N       processes to share the seeds (default 2)
  --trace N      lines of trace to print (default 40)
  --json         the report as JSON, on the last line`;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    seed: { type: 'string' },
    break: { type: 'string' },
    breaks: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '2' },
    trace: { type: 'string', default: '40' },
    limits: { type: 'string', default: 'mixed' },
    json: { type: 'boolean', default: false },
  },
});

const limits = (['mixed', 'tight', 'slack'] as const).find((name) => name === values.limits);
const range = readRange(values.seed ?? values.seeds ?? '');
if (values.breaks) await reportBreaks();
else if (range === undefined || limits === undefined) {
  console.error(usage);
  process.exitCode = 2;
} else await reportSeeds(range);

async function reportSeeds({ from, to }: { from: number; to: number }): Promise<void> {
  const startedAt = performance.now();
  const jobs = Math.min(Number(values.jobs), Math.ceil((to - from + 1) / 50));
  const broken = await runner(values.break);
  const runSeed: typeof broken = (seed, coverage) => broken(seed, coverage, limits);
  const report =
    jobs > 1
      ? await inParallel({ from, to, jobs, args: passedOn() })
      : await runSeeds({ from, to, runSeed, traceLines: Number(values.trace) });
  if (values.json) console.log(JSON.stringify(report));
  else print(report, { isOne: from === to, seconds: (performance.now() - startedAt) / 1000 });
  if (report.failures.length > 0) process.exitCode = 1;
}

function print(report: SeedsReport, { isOne, seconds }: { isOne: boolean; seconds: number }): void {
  const { failures, seeds, events, coverage } = report;
  for (const { seed, violations, traceTail } of failures) {
    console.log(`seed ${seed} breaks ${violations.length} checks:`);
    for (const line of violations.slice(0, 5)) console.log(`  ${line}`);
    console.log(traceTail.map((line) => `    ${line}`).join('\n'));
    console.log(
      `  again: pnpm sim --seed ${seed}${values.break === undefined ? '' : ` --break ${values.break}`}${limits === 'mixed' ? '' : ` --limits ${limits}`}`,
    );
  }
  if (isOne && failures.length === 0) console.log(report.lastTrace.join('\n'));
  else console.log(coverageTable(coverage));
  const hash = isOne ? `, trace ${report.hashes[0]}` : '';
  console.log(
    `${seeds} seeds, ${events} events, ${seconds.toFixed(1)} s${hash}: ` +
      (failures.length === 0 ? 'every promise holds' : `${failures.length} seeds break a promise`),
  );
}

async function reportBreaks(): Promise<void> {
  const found = [];
  for (const one of breaks) {
    const { runSeed } = await loadBroken(one);
    const from = limits === 'mixed' ? (one.from ?? 1) : 1;
    const caught = await firstCaught(runSeed, { from, to: from + one.within - 1 });
    found.push({ name: one.name, ...caught });
    if (!values.json)
      console.log(`${one.name}: ${caught === undefined ? 'not caught' : `seed ${caught.seed}: ${caught.violation}`}`);
    if (caught === undefined || !one.promises.includes(caught.promise)) process.exitCode = 1;
  }
  if (values.json) console.log(JSON.stringify(found));
}

async function firstCaught(runSeed: Awaited<ReturnType<typeof runner>>, { from, to }: { from: number; to: number }) {
  for (let seed = from; seed <= to; seed++) {
    const [first] = (await runSeed(seed, new Coverage(), limits)).violations;
    if (first !== undefined)
      return { seed, promise: first.promise, violation: `promise ${first.promise}: ${first.message}` };
  }
  return undefined;
}

async function runner(breakName: string | undefined): Promise<typeof import('./run.ts').runSeed> {
  if (breakName === undefined) return (await import('./run.ts')).runSeed;
  const one = breaks.find(({ name }) => name === breakName);
  if (one === undefined) throw new Error(`There is no break ${breakName}`);
  return (await loadBroken(one)).runSeed;
}

/** What the processes that share the seeds must know as well. */
function passedOn(): string[] {
  return ['--limits', values.limits, ...(values.break === undefined ? [] : ['--break', values.break])];
}

function readRange(text: string): { from: number; to: number } | undefined {
  const [, from, to] = /^(\d+)(?:\.\.(\d+))?$/.exec(text) ?? [];
  return from === undefined ? undefined : { from: Number(from), to: Number(to ?? from) };
}
