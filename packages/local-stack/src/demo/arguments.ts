import { parseArgs } from 'node:util';

/** The command line is not understood; the message says how it should be. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface DemoArguments {
  readonly files: readonly string[];
  readonly policies: string | undefined;
  readonly json: boolean;
  /** Show every account, however many there are. */
  readonly all: boolean;
  readonly help: boolean;
}

export const usage = `Usage: npx -y pnpm@12 demo [file.csv …] [--policies file.json] [--json] [--all]

Sends bulk bookings through the embedded stack and checks that the books balance.

  file.csv …              rows of account,booking,reservation,cost (that header); default: examples/*.csv
  --policies file.json    {"default": {policy}, "accounts": {"<id>": {policy}}}; default: the built-in policy
  --json                  the facts as one object on the last line of stdout, progress on stderr
  --all                   one line for every account, however many there are`;

/** @throws UsageError */
export function readArguments(args: readonly string[]): DemoArguments {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        policies: { type: 'string' },
        json: { type: 'boolean', default: false },
        all: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const { policies, json, all, help } = values;
    return { files: positionals, policies, json, all, help };
  } catch (error) {
    // The first sentence says what is wrong; what parseArgs advises after it is about file names like options.
    const [problem] = (error instanceof Error ? error.message : String(error)).split('. ');
    throw new UsageError(`${problem}\n\n${usage}`);
  }
}
