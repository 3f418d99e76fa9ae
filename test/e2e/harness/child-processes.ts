import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env: NodeJS.ProcessEnv;
  /** The file that all its output goes to. */
  readonly log: string;
}

/** A command ended with an error; what it wrote is in the log. */
export class CommandFailedError extends Error {
  override readonly name = 'CommandFailedError';
}

const graceMs = 5_000;

/** The processes that a run has started, each in a group of its own so that its children end with it. */
export class ChildProcesses {
  readonly #running = new Set<ChildProcess>();

  /** Starts a process that goes on until `stopAll`. */
  start({ file, args, cwd, env, log }: Command): ChildProcess {
    const child = spawn(file, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = createWriteStream(log, { flags: 'a' });
    child.stdout.pipe(output, { end: false });
    child.stderr.pipe(output, { end: false });
    this.#running.add(child);
    // A group can outlive its first process; it is let go of only when a command is done, or in stopAll.
    child.once('error', () => this.#running.delete(child));
    return child;
  }

  /** @throws CommandFailedError */
  async run(command: Command): Promise<void> {
    const child = this.start(command);
    const [code] = await once(child, 'close');
    this.#running.delete(child);
    if (code !== 0) throw new CommandFailedError(`${command.file} ${command.args.join(' ')} ended with ${code}`);
  }

  /** Ends every process, and kills the groups of those that still run after five seconds. */
  async stopAll(): Promise<void> {
    const ended = [...this.#running].map((child) => {
      signalGroup(child, 'SIGTERM');
      return child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
    });
    await Promise.race([Promise.all(ended), sleep(graceMs, undefined, { ref: false })]);
    this.killAll();
  }

  /** Kills the groups at once: for a process that is about to exit. */
  killAll(): void {
    for (const child of this.#running) signalGroup(child, 'SIGKILL');
    this.#running.clear();
  }
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // ESRCH: the whole group has ended already.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
