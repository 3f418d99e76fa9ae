import { onTestFinished } from 'vitest';
import { type SpawnOptions, spawnChild } from './spawn-child.ts';

/** A process of the test's own. */
export interface Child {
  readonly pid: number;
  /** The first line that it writes. */
  firstLine(): Promise<string>;
  /** The signal that ended it; null where it ended by itself. */
  readonly ended: Promise<NodeJS.Signals | null>;
  /** Ends it as `kill -9` does, and resolves when it has ended. */
  kill(): Promise<void>;
}

/**
 * Runs a script of the test in a process of its own, with one argument as JSON. It is killed when the test has finished,
 * however that came about; and should the test's own process die, the script sees its input end.
 */
export function startChild(script: URL, argument: object, options: SpawnOptions = {}): Child {
  const { pid, firstLine, ended, kill } = spawnChild(script, argument, options);
  onTestFinished(kill);
  return { pid, firstLine: () => firstLine, ended, kill };
}
