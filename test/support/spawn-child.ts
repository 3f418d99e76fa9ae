import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A process of our own that runs a script. */
export interface SpawnedChild {
  readonly pid: number;
  /** The first line that it writes; rejects where it ends before. */
  readonly firstLine: Promise<string>;
  /** The signal that ended it; null where it ended by itself. */
  readonly ended: Promise<NodeJS.Signals | null>;
  /** Calls the listener with every line that it writes from now on. */
  onLine(listener: (line: string) => void): void;
  /** Writes it a line; one that has ended does not hear it. */
  tell(line: string): void;
  /** Ends it as `kill -9` does, and resolves when it has ended. */
  kill(): Promise<void>;
}

export interface SpawnOptions {
  /** Variables added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** The largest file that the process may write: beyond it the system refuses, as on a full disk. */
  readonly maxFileBytes?: number;
}

/**
 * Runs a script in a process of its own, with one argument as JSON. Should this process die, the script sees its input
 * end. Ending the child is the caller's affair.
 */
export function spawnChild(script: URL, argument: object, { env, maxFileBytes }: SpawnOptions = {}): SpawnedChild {
  const command = [process.execPath, fileURLToPath(script), JSON.stringify(argument)];
  const [file = '', ...args] = maxFileBytes === undefined ? command : limited(command, maxFileBytes);
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  // A line told to a process that has just been killed.
  child.stdin.on('error', () => undefined);
  const ended = once(child, 'exit').then(() => child.signalCode);
  const lines = createInterface(child.stdout);
  const firstLine = new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    ended.then(() => reject(new Error('The process ended before it wrote a line.')), reject);
  });
  // Not everyone waits for it.
  firstLine.catch(() => undefined);
  if (child.pid === undefined) throw new Error(`${file} could not be started.`);
  return {
    pid: child.pid,
    firstLine,
    ended,
    onLine: (listener) => void lines.on('line', listener),
    tell: (line) => void child.stdin.write(`${line}\n`),
    kill: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await ended;
    },
  };
}

/** The command under the shell's limit on file sizes, which POSIX counts in blocks of 512 bytes. */
function limited(command: readonly string[], maxFileBytes: number): string[] {
  return ['sh', '-c', 'ulimit -f "$0" && exec "$@"', String(Math.floor(maxFileBytes / 512)), ...command];
}
