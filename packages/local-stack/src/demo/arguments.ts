import { aPath, newCommand, readCommandLine } from '@usher/cli';

export interface DemoArguments {
  readonly files: readonly string[];
  readonly policies: string | undefined;
  readonly json: boolean;
  /** True to show every account, however many there are. */
  readonly all: boolean;
  /** The file to write every row to, with its decision. */
  readonly rows: string | undefined;
  /** The folder for the day's report; undefined for a new one in `.usher/demo-reports`. */
  readonly reports: string | undefined;
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
    .argument('[files...]', 'CSV files with the header account,booking,reservation,cost (default: examples/*.csv)')
    .option(
      '--policies <file.json>',
      '{"default": {policy}, "accounts": {"<id>": {policy}}} (default: the built-in policy)',
      aPath,
    )
    .option('--json', 'print the facts as one JSON object, one line, and nothing else on stdout')
    .option('--all', 'show a line for every account, however many there are')
    .option(
      '--rows <out.csv>',
      'write every row with its decision, reason and instants (accepted, decided, dispatched at) to a new file, in the ' +
        'order of the input. An existing file is not overwritten',
      aPath,
    )
    .option(
      '--reports <folder>',
      "write the day's report below this folder, a new or empty one (default: a new one in .usher/demo-reports)",
      aPath,
    )
    .option('--pictures', 'draw a picture for each of the ten largest accounts')
    .option('--no-pictures', 'draw none (default: pictures on a terminal only, and not with NO_COLOR or TERM=dumb)');
  const { args: files } = readCommandLine(command, args);
  const { policies, json = false, all = false, rows, reports, pictures } = command.opts();
  return { files, policies, json, all, rows, reports, pictures };
}
