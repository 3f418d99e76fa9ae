import { newCommand, Option, positiveNumber, readCommandLine, runCommand, wholeNumber } from '@usher/cli';
import { ignoreProxies } from '@usher/loopback';
import { renderReport } from './report.ts';
import { runChaos } from './run-chaos.ts';

/** `pnpm chaos`: exit 0 where every promise was kept, 1 where not, 2 for arguments it cannot use. */
await runCommand(
  {
    name: 'chaos',
    ending: '; every process is ended and the temporary folder removed',
    heedsSignal: true,
  },
  main,
);

async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  ignoreProxies();
  const { minutes, seconds = 60 * minutes, seed = Math.floor(Math.random() * 1_000_000) } = readArguments(args);
  console.log(`Seed ${seed}, faults for ${seconds} s.`);
  try {
    const report = await runChaos({
      seed,
      seconds,
      onProgress: (what, atMs) => console.error(`${(atMs / 1000).toFixed(1).padStart(6)} s  ${what}`),
      signal,
    });
    console.log(renderReport(report));
    return report.violations.length === 0 ? 0 : 1;
  } catch (error) {
    // What was under way fails in a way of its own when it is interrupted.
    signal.throwIfAborted();
    throw error;
  }
}

function readArguments(args: readonly string[]) {
  const longestMinutes = 24 * 60;
  const command = newCommand(
    'chaos',
    'Plays a scenario on the embedded stack in processes of its own, injects faults for a while, lets everything ' +
      'come to its end and checks every promise.',
  )
    .addOption(new Option('--minutes <number>', 'how long').default(2).argParser(positiveNumber(longestMinutes)))
    .addOption(
      new Option('--seconds <number>', 'how long, in place of minutes')
        .argParser(positiveNumber(60 * longestMinutes))
        .conflicts('minutes'),
    )
    .option('--seed <number>', 'repeats the choice of scenario and faults, not their timing', wholeNumber(0));
  readCommandLine(command, args);
  return command.opts();
}
