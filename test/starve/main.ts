import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newCommand, Option, readCommandLine, runCommand, wholeNumber } from '@usher/cli';
import { NoTasksetError } from './busy-loops.ts';
import { runSuite, type SuiteResult } from './run-suite.ts';

/** `pnpm starve`: exit 0 where the whole suite passed in every run. */
await runCommand(
  {
    name: 'starve',
    ending: '; its processes are ended and its clones removed',
    told: [NoTasksetError],
    heedsSignal: true,
  },
  async (args, signal) => {
    const { starved, plain, core, loops } = readArguments(args);
    const runs = [
      ...Array.from({ length: starved }, (_, i) => ({ name: `starved ${i + 1}/${starved}`, isStarved: true })),
      ...Array.from({ length: plain }, (_, i) => ({ name: `plain ${i + 1}/${plain}`, isStarved: false })),
    ];
    const { root, commit } = ownTree();
    console.log(`${commit}; starved: on core ${core} beside ${loops} busy loops; each run in a clone of its own`);
    let failedRuns = 0;
    for (const { name, isStarved } of runs) {
      const folder = await mkdtemp(join(tmpdir(), 'usher-starve-'));
      const tree = { recursive: true, force: true } as const;
      const result = await runSuite({ root, folder, signal, ...(isStarved && { pinned: { core, loops } }) }).catch(
        async (error: unknown) => {
          await rm(folder, tree);
          throw error;
        },
      );
      const isGood = result.exitCode === 0 && result.failed === 0 && result.passed > 0;
      // What a failed run printed is kept.
      await rm(isGood ? folder : join(folder, 'usher'), tree);
      if (!isGood) failedRuns += 1;
      console.log(lineOf(name, result, isGood));
      for (const test of result.failures) console.log(`    ${test}`);
      if (!isGood) console.log(`    all it printed: ${result.log}`);
    }
    console.log(`${runs.length - failedRuns} of ${runs.length} runs passed`);
    return failedRuns === 0 ? 0 : 1;
  },
);

function lineOf(name: string, { passed, failed, seconds, exitCode }: SuiteResult, isGood: boolean): string {
  const ending = isGood ? '' : `, exit code ${exitCode}`;
  return `${name}: ${passed} passed, ${failed} failed, ${Math.round(seconds)} s${ending}`;
}

/** The repository that this file is in, and what of it is cloned. */
function ownTree(): { root: string; commit: string } {
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', import.meta.dirname, ...args], { encoding: 'utf8' }).trim();
  return { root: git('rev-parse', '--show-toplevel'), commit: git('log', '-1', '--format=%h %s') };
}

function readArguments(args: readonly string[]) {
  const command = newCommand(
    'starve',
    "Runs the README's test command again and again, in fresh clones of what is committed here: first on one core beside " +
      'busy loops, then with nothing else. Prints a line for each run; exit code 1 where one fails. Runs on different ' +
      'cores may go on at the same time.',
  )
    .addOption(new Option('--starved <number>', 'runs beside busy loops').default(5).argParser(wholeNumber(0, 1_000)))
    .addOption(new Option('--plain <number>', 'runs with nothing else').default(3).argParser(wholeNumber(0, 1_000)))
    .addOption(
      new Option('--core <number>', 'the core of the starved runs').default(0).argParser(wholeNumber(0, 1_023)),
    )
    .addOption(new Option('--loops <number>', 'busy loops on that core').default(2).argParser(wholeNumber(0, 64)));
  readCommandLine(command, args);
  return command.opts();
}
