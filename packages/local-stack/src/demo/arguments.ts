import { aPath, newCommand, readCommandLine } from '@usher/cli';

export interface DemoArguments {
  readonly files: readonly string[];
  readonly policies: string | undefined;
  readonly json: boolean;
  /** Show every account, however many there are. */
  readonly all: boolean;
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
    .option('--all', 'one line for every account, however many there are');
  const { args: files } = readCommandLine(command, args);
  const { policies, json = false, all = false } = command.opts();
  return { files, policies, json, all };
}
