import { aPath, newCommand, readCommandLine } from '@usher/cli';

export interface DemoArguments {
  readonly files: readonly string[];
  readonly policies: string | undefined;
  readonly json: boolean;
  /** Show every account, however many there are. */
  readonly all: boolean;
  /** Where every row is written with its decision. */
  readonly rows: string | undefined;
  /** True and false where the command line says so; undefined leaves it to the terminal. */
  readonly pictures: boolean | undefined;
}

/** @throws UsageError, AnsweredError */
export function readArguments(args: readonly string[]): DemoArguments {
  const command = newCommand(
    'demo',
    'Sends bulk bookings through the embedded stack and checks that the books balance.',
  )
    .usage('[file.csv …] [options]')
    .argument('[files...]', 'rows of account,booking,reservation,cost below that header (default: examples/*.csv)')
    .option(
      '--policies <file.json>',
      '{"default": {policy}, "accounts": {"<id>": {policy}}} (default: the built-in policy)',
      aPath,
    )
    .option('--json', 'the facts as one object on the last line of stdout')
    .option('--all', 'one line for every account, however many there are')
    .option(
      '--rows <out.csv>',
      'writes every row with its decision, reason and dispatchAt, in the order of the files, to a new file: one that is ' +
        'there is not overwritten',
      aPath,
    )
    .option('--pictures', 'a picture for each of the ten largest accounts')
    .option('--no-pictures', 'none (default: only on a terminal, and not with NO_COLOR or TERM=dumb)');
  const { args: files } = readCommandLine(command, args);
  const { policies, json = false, all = false, rows, pictures } = command.opts();
  return { files, policies, json, all, rows, pictures };
}
