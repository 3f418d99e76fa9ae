import { InvalidArgumentError, newCommand, Option, readCommandLine, UsageError, wholeNumber } from '@usher/cli';
import { breaks } from './breaks.ts';

/** Seeds from one to another, both included. */
export interface SeedRange {
  readonly from: number;
  readonly to: number;
}

/** The task of one command: play a range of seeds, or find a seed that catches each break. */
export type SimulationArguments = ReturnType<typeof readArguments>;

/** @throws UsageError, AnsweredError */
export function readArguments(args: readonly string[]) {
  const command = newCommand(
    'sim',
    'Plays seeds of the simulation; exit code 1 where one breaks a promise. One of --seeds, --seed and --breaks is needed.',
  )
    .addOption(new Option('--seeds <A..B>', 'plays these seeds').argParser(seedRange))
    .addOption(
      new Option('--seed <number>', 'plays one seed and prints the end of its trace')
        .argParser(wholeNumber(0))
        .conflicts('seeds'),
    )
    .addOption(
      new Option('--break <name>', "breaks Usher's code first; with --breaks: finds a seed for it alone").choices(
        breaks.map(({ name }) => name),
      ),
    )
    .addOption(new Option('--breaks', 'finds a seed that catches each break').conflicts(['seeds', 'seed']))
    .addOption(
      new Option('--limits <which>', 'limits of the accounts throughout')
        .choices(['mixed', 'tight', 'slack'])
        .default('mixed' as const),
    )
    .addOption(new Option('--jobs <number>', 'processes to share the seeds').default(2).argParser(wholeNumber(1, 64)))
    .addOption(
      new Option('--trace <number>', 'lines of trace to print').default(40).argParser(wholeNumber(0, 1_000_000)),
    )
    .option('--json', 'the report as JSON, on the last line');
  readCommandLine(command, args);
  const { seed, seeds, ...options } = command.opts();
  const range: SeedRange | undefined = seed === undefined ? seeds : { from: seed, to: seed };
  if (range === undefined && !options.breaks) throw new UsageError('one of --seeds, --seed and --breaks is needed');
  return { ...options, range };
}

function seedRange(text: string): SeedRange {
  const [, from, to] = /^(\d{1,15})(?:\.\.(\d{1,15}))?$/.exec(text) ?? [];
  const range = { from: Number(from), to: Number(to ?? from) };
  if (range.from <= range.to) return range;
  throw new InvalidArgumentError('It must be like 1..2000, the lower seed first.');
}
