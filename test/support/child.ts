import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** A process of the test's own. */
export interface Child {
  /** The first line that it writes. To be asked for before it writes, and once. */
  firstLine(): Promise<string>;
  /** How it ended: by which signal, or null where it ended by itself. */
  readonly ended: Promise<NodeJS.Signals | null>;
  /** Ends it as `kill -9` does, and resolves when it has ended. */
  kill(): Promise<void>;
}

/**
 * Runs a script of the test in a process of its own, with one argument as JSON. It is killed when the test has finished,
 * however that came about; and should the test's own process die, the script sees its input end.
 */
export function startChild(script: URL, argument: object): Child {
  const child = spawn(process.execPath, [fileURLToPath(script), JSON.stringify(argument)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit').then(() => child.signalCode);
  const kill = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  const firstLine = async (): Promise<string> => {
    for await (const line of createInterface(child.stdout)) return line;
    throw new Error('The process ended before it wrote a line.');
  };
  return { firstLine, ended, kill };
}
