import { runCommand } from '@usher/cli';
import { readArguments, type SeedRange, type SimulationArguments } from './arguments.ts';
import { breaks } from './breaks.ts';
import { coverageTable } from './coverage-table.ts';
import { Coverage } from './faults.ts';
import { loadBroken } from './load-broken.ts';
import { inParallel, runSeeds, type SeedsReport } from './run-seeds.ts';

await runCommand({ name: 'sim' }, async (args) => {
  const options = readArguments(args);
  return options.range === undefined ? reportBreaks(options) : reportSeeds(options.range, options);
});

async function reportSeeds({ from, to }: SeedRange, options: SimulationArguments): Promise<number> {
  const { limits } = options;
  const startedAt = performance.now();
  const jobs = Math.min(options.jobs, Math.ceil((to - from + 1) / 50));
  const broken = await runner(options.break);
  const runSeed: typeof broken = (seed, coverage) => broken(seed, coverage, limits);
  const report =
    jobs > 1
      ? await inParallel({ from, to, jobs, args: passedOn(options) })
      : await runSeeds({ from, to, runSeed, traceLines: options.trace });
  if (options.json) console.log(JSON.stringify(report));
  else print(report, options, { isOne: from === to, seconds: (performance.now() - startedAt) / 1000 });
  return report.failures.length > 0 ? 1 : 0;
}

function print(
  report: SeedsReport,
  options: SimulationArguments,
  { isOne, seconds }: { isOne: boolean; seconds: number },
): void {
  const { failures, seeds, events, coverage } = report;
  if (isOne && failures.length === 0) console.log(report.lastTrace.join('\n'));
  else console.log(coverageTable(coverage));
  for (const { seed, violations, traceTail } of failures) {
    console.log(`seed ${seed} breaks ${violations.length} checks:`);
    for (const line of violations.slice(0, 5)) console.log(`  ${line}`);
    console.log(traceTail.map((line) => `    ${line}`).join('\n'));
    console.log(
      `  again: pnpm sim --seed ${seed}${options.break === undefined ? '' : ` --break ${options.break}`}${options.limits === 'mixed' ? '' : ` --limits ${options.limits}`}`,
    );
  }
  const hash = isOne ? `, trace ${report.hashes[0]}` : '';
  console.log(
    `${seeds} seeds, ${events} events, ${seconds.toFixed(1)} s${hash}: ` +
      (failures.length === 0 ? 'every promise holds' : `${failures.length} seeds break a promise`),
  );
}

async function reportBreaks({ limits, json, break: only }: SimulationArguments): Promise<number> {
  let areAllCaught = true;
  const found = [];
  for (const one of breaks.filter(({ name }) => only === undefined || only === name)) {
    const { runSeed } = await loadBroken(one);
    const from = limits === 'mixed' ? (one.from ?? 1) : 1;
    const caught = await firstCaught(runSeed, { from, to: from + one.within - 1, limits });
    found.push({ name: one.name, ...caught });
    const isCaught = caught !== undefined && one.promises.includes(caught.promise);
    if (!isCaught) areAllCaught = false;
    if (!json) {
      const how = caught === undefined ? 'NOT CAUGHT' : `seed ${caught.seed}: ${caught.violation.slice(0, 200)}`;
      console.log(`${one.name}: ${isCaught || caught === undefined ? '' : 'NOT CAUGHT BY ITS PROMISE: '}${how}`);
    }
  }
  if (json) console.log(JSON.stringify(found));
  return areAllCaught ? 0 : 1;
}

async function firstCaught(
  runSeed: Awaited<ReturnType<typeof runner>>,
  { from, to, limits }: SeedRange & Pick<SimulationArguments, 'limits'>,
) {
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

/** The arguments that are passed to the processes which share the seeds. */
function passedOn(options: SimulationArguments): string[] {
  return ['--limits', options.limits, ...(options.break === undefined ? [] : ['--break', options.break])];
}
