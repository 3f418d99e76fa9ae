import { AnsweredError, InterruptedError, OutputClosedError, UsageError } from './errors.ts';
import { requireNode } from './node-version.ts';

type ErrorKind = new (...args: never[]) => Error;

export interface CommandOptions {
  /** The command's name: `demo`. */
  readonly name: string;
  /** Errors about the command's input, each message complete in itself: exit code 2. */
  readonly refused?: readonly ErrorKind[];
  /** Errors of the command's work, each message complete in itself: exit code 1. */
  readonly told?: readonly ErrorKind[];
  /** The words after "Interrupted" at an end before time: they tell what the command has cleaned up. */
  readonly ending?: string;
  /**
   * True where the command heeds its signal: it ends soon once that is aborted, and throws the reason if its work is
   * not done. Else an interrupt or a closed output ends the process at once.
   */
  readonly heedsSignal?: boolean;
}

/**
 * Runs a command as a process's whole work, in the folder that its caller stands in, and ends it with one sentence and
 * an exit code: what `main` returns, 2 for what it was given and cannot use, 1 for a failure, 130 once interrupted, 141
 * once nobody reads what it writes. A stack trace is shown only where USHER_DEBUG is set.
 */
export async function runCommand(
  options: CommandOptions,
  main: (args: readonly string[], signal: AbortSignal) => Promise<number>,
): Promise<void> {
  requireNode();
  const stopping = new AbortController();
  let isDone = false;
  const end = (reason: Error): void => {
    stopping.abort(reason);
    // What cannot be written after the work is a failure all the same.
    if (isDone || !options.heedsSignal) process.exit(explain(reason, options));
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => end(new InterruptedError(name)));
  }
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) =>
      end(error.code === 'EPIPE' ? new OutputClosedError(error.message) : error),
    );
  }
  try {
    goToCaller();
    process.exitCode = await main(process.argv.slice(2), stopping.signal);
  } catch (error) {
    process.exitCode = explain(error, options);
  } finally {
    isDone = true;
  }
}

/**
 * The folder of the caller, which paths are relative to: pnpm runs a script in the package's folder, and leaves the
 * caller's here.
 */
function goToCaller(): void {
  const folder = process.env.INIT_CWD;
  if (!folder) return;
  try {
    process.chdir(folder);
  } catch {
    throw new UsageError(`the folder in INIT_CWD, ${folder}, cannot be gone to`);
  }
}

/** Writes the reason why a command ended; returns its exit code. */
function explain(error: unknown, { name, refused = [], told = [], ending = '' }: CommandOptions): number {
  if (error instanceof AnsweredError) return 0;
  if (error instanceof InterruptedError) {
    console.error(`Interrupted${ending}.`);
    return 130;
  }
  if (error instanceof OutputClosedError) {
    console.error(`Nobody reads the output of ${name} any more${ending}.`);
    return 141;
  }
  if (error instanceof UsageError) {
    console.error(`${name}: ${error.message}\nSee npx -y pnpm@12 ${name} --help`);
    return 2;
  }
  const isKnown = (kinds: readonly ErrorKind[]): boolean => kinds.some((kind) => error instanceof kind);
  const said = error instanceof Error ? error.message : String(error);
  if (isKnown(refused)) {
    console.error(said);
    return 2;
  }
  console.error(isKnown(told) ? said : `${name} failed: ${said} (USHER_DEBUG=1 shows where)`);
  if (!isKnown(told) && process.env.USHER_DEBUG) console.error(error);
  return 1;
}
