import { Command, CommanderError, InvalidArgumentError } from '@commander-js/extra-typings';
import manifest from '../package.json' with { type: 'json' };
import { AnsweredError, UsageError } from './errors.ts';

/** A command without options of its own yet: strict, and with `--help` and `--version`. */
export function newCommand(name: string, description: string) {
  return new Command(name)
    .usage('[options]')
    .description(description)
    .version(manifest.version, '-V, --version', 'tell the version')
    .helpOption('-h, --help', 'tell what the command does and takes')
    .configureHelp({ helpWidth: 80, styleUsage: (usage) => usage.replace(name, `npx -y pnpm@12 ${name}`) })
    .configureOutput({ writeErr: () => {} })
    .allowExcessArguments(false)
    .exitOverride();
}

/**
 * Reads a command line into the command's options and arguments. A flag wins over its environment variable, and an
 * empty variable is none. `--help` and `--version` are answered on stdout.
 *
 * @throws UsageError the command line cannot be used
 * @throws AnsweredError it asked for the help or the version
 */
export function readCommandLine<Parsed>(command: Readable<Parsed>, args: readonly string[]): Parsed {
  // `pnpm demo -- --help` hands the two dashes on; they are pnpm's, not the command's.
  const own = args[0] === '--' ? args.slice(1) : args;
  // Commander judges the environment before it looks for these.
  const isAsking = own.some((arg) => ['-h', '--help', '-V', '--version'].includes(arg));
  for (const { envVar } of command.options) {
    if (envVar !== undefined && (isAsking || process.env[envVar] === '')) delete process.env[envVar];
  }
  refuseRepeats(command);
  try {
    return command.parse([...own], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) throw new AnsweredError(error.message);
    throw new UsageError(sentenceOf(error.message));
  }
}

/** The part of commander's Command that reading needs. */
interface Readable<Parsed> {
  readonly options: readonly { readonly envVar?: string; readonly variadic: boolean; name(): string }[];
  on(event: string, listener: () => void): unknown;
  parse(args: string[], from: { readonly from: 'user' }): Parsed;
}

/** Refuses an option that is given twice: commander would take the last, and a typing error would go unseen. */
function refuseRepeats(command: Readable<unknown>): void {
  for (const option of command.options.filter(({ variadic }) => !variadic)) {
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven) throw new UsageError(`option '--${option.name()}' is given twice`);
      isGiven = true;
    });
  }
}

/** Commander's message on one line, without its prefix: `unknown option '--polices' (did you mean --policies?)`. */
function sentenceOf(message: string): string {
  return message.replace('error: ', '').replace('\n(Did', ' (did').split('\n').join(' ');
}

/** A reader of whole numbers within bounds, both included. */
export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(
      most === Number.MAX_SAFE_INTEGER
        ? `It must be a whole number from ${least}.`
        : `It must be a whole number from ${least} to ${most}.`,
    );
  };
}

/** A reader of numbers above 0, up to a maximum. */
export function positiveNumber(most: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
    if (value > 0 && value <= most) return value;
    throw new InvalidArgumentError(`It must be a number above 0, at most ${most}.`);
  };
}

/** A reader of paths, which finds a forgotten one. */
export function aPath(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must be a path.');
  if (text.startsWith('--')) {
    throw new InvalidArgumentError('It must be a path; one that begins with dashes is written ./--…');
  }
  return text;
}
