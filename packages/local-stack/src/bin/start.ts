import { resolve } from 'node:path';
import { aPath, newCommand, Option, readCommandLine, runCommand, wholeNumber } from '@usher/cli';
import {
  DataFolderInUseError,
  DataFolderOutdatedError,
  DataFolderUnusableError,
  PolicyFileError,
  PortUnavailableError,
} from '../errors.ts';

/** The folder for the data unless another is given: in the workspace, whichever folder the command was called from. */
const defaultDataDir = resolve('.usher');

/** `pnpm start`: the embedded stack until Ctrl-C. */
await runCommand(
  {
    name: 'start',
    refused: [PolicyFileError],
    told: [PortUnavailableError, DataFolderInUseError, DataFolderUnusableError, DataFolderOutdatedError],
    heedsSignal: true,
  },
  main,
);

async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  const { port, data, policies } = readArguments(args);
  // The stack takes seconds to load; `--help` and a mistyped option are answered before that.
  const { runStart } = await import('../run-start.ts');
  return runStart({ port, dataDir: resolve(data ?? defaultDataDir), policies }, signal);
}

function readArguments(args: readonly string[]) {
  const command = newCommand(
    'start',
    'Runs the embedded stack until Ctrl-C. Restart it with the same folder to resume.',
  )
    .addOption(
      new Option('--port <number>', 'port of the HTTP API on 127.0.0.1; 0 for any free one')
        .env('PORT')
        .default(8787)
        .argParser(wholeNumber(0, 65_535)),
    )
    .addOption(
      new Option('--data <folder>', 'folder for all data (default: .usher in the workspace)')
        .env('USHER_DATA')
        .argParser(aPath),
    )
    .addOption(
      new Option('--policies <file.json>', '{"default": {policy}, "accounts": {"<id>": {policy}}}')
        .env('USHER_POLICIES')
        .argParser(aPath),
    );
  readCommandLine(command, args);
  return command.opts();
}
