import { parseArgs } from 'node:util';
import { renderReport } from './report.ts';
import { runChaos } from './run-chaos.ts';

/** `pnpm chaos`: exit 0 where every promise was kept, 1 where not, 2 for arguments it cannot use. */
const usage = `Usage: npx -y pnpm@12 chaos [--minutes N | --seconds N] [--seed N]

Runs a load on the embedded stack in processes of its own, kills and hinders them for so long (2 minutes unless told),
lets everything come to its end and audits the books. --seed repeats the choice of load and faults, not their timing.`;

const { minutes, seconds, seed } = readArguments(process.argv.slice(2));
const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopping.abort());

try {
  console.log(`Seed ${seed}, faults for ${seconds ?? 60 * minutes} s.`);
  const report = await runChaos({
    seed,
    seconds: seconds ?? 60 * minutes,
    onProgress: (what, atMs) => console.error(`${(atMs / 1000).toFixed(1).padStart(6)} s  ${what}`),
    signal: stopping.signal,
  });
  console.log(renderReport(report));
  process.exitCode = report.differences.length === 0 ? 0 : 1;
} catch (error) {
  if (!stopping.signal.aborted) throw error;
  console.error('Interrupted; every process is ended and the temporary folder removed.');
  process.exitCode = 130;
}

function readArguments(args: readonly string[]): { minutes: number; seconds: number | undefined; seed: number } {
  try {
    const options = { minutes: { type: 'string' }, seconds: { type: 'string' }, seed: { type: 'string' } } as const;
    const { values } = parseArgs({ args: [...args], options });
    const numbers = {
      minutes: Number(values.minutes ?? 2),
      seconds: values.seconds === undefined ? undefined : Number(values.seconds),
      seed: Number(values.seed ?? Math.floor(Math.random() * 1_000_000)),
    };
    const isUsable = numbers.minutes > 0 && (numbers.seconds ?? 1) > 0 && Number.isSafeInteger(numbers.seed);
    if (isUsable) return numbers;
    console.error(usage);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  }
  process.exit(2);
}
