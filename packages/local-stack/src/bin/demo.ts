import { runCommand } from '@usher/cli';
import { readArguments } from '../demo/arguments.ts';
import {
  BookingFileError,
  PolicyFileError,
  ReportsFolderError,
  RowsFileError,
  SubmissionRefusedError,
  UndecidedError,
} from '../errors.ts';

/** `pnpm demo`: exit 0 where the books balance, 1 where they do not or the run failed, 2 for input it cannot use. */
await runCommand(
  {
    name: 'demo',
    refused: [BookingFileError, PolicyFileError, RowsFileError, ReportsFolderError],
    told: [SubmissionRefusedError, UndecidedError],
    ending: '; the stack is stopped and its temporary folder removed',
    heedsSignal: true,
  },
  main,
);

async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  const given = readArguments(args);
  // The stack takes seconds to load; `--help` and a mistyped option are answered before that.
  const { demo } = await import('../demo/demo.ts');
  return demo(given, signal);
}
