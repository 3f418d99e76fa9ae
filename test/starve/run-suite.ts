import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { startBusyLoops } from './busy-loops.ts';

/** The result of one run of the whole suite. */
export interface SuiteResult {
  readonly passed: number;
  readonly failed: number;
  /** The failing tests by package, file and name. */
  readonly failures: readonly string[];
  readonly exitCode: number | null;
  readonly seconds: number;
  /** The file with all that it printed. */
  readonly log: string;
}

/**
 * Clones the repository into a folder and runs the README's test command there, installation included.
 *
 * @param options.pinned the core that all of it runs on, beside so many busy loops. @default wherever there is room
 * @throws the signal's reason, once it is aborted: all processes are then ended
 */
export async function runSuite({
  root,
  folder,
  signal,
  pinned,
}: {
  root: string;
  folder: string;
  signal: AbortSignal;
  pinned?: { core: number; loops: number };
}): Promise<SuiteResult> {
  const clone = join(folder, 'usher');
  const log = join(folder, 'output.txt');
  const [code] = await once(
    spawn('git', ['clone', '--quiet', '--no-hardlinks', root, clone], { stdio: 'inherit' }),
    'close',
  );
  if (code !== 0) throw new Error(`git could not clone ${root}`);
  const command = testCommand(await readFile(join(clone, 'README.md'), 'utf8'));
  const loops = pinned === undefined ? undefined : startBusyLoops(pinned);
  try {
    const startedAt = performance.now();
    const exitCode = await runShell(pinned === undefined ? command : `taskset -c ${pinned.core} ${command}`, {
      cwd: clone,
      log,
      signal,
    });
    const seconds = (performance.now() - startedAt) / 1000;
    return { ...readReport(await readFile(log, 'utf8')), exitCode, seconds, log };
  } finally {
    loops?.end();
  }
}

/** The indented command of the README that runs every test. */
export function testCommand(readme: string): string {
  const found = /^ {4}(npx -y pnpm@\d+ .*\btest)$/m.exec(readme)?.[1];
  if (found === undefined) throw new Error('The README names no test command.');
  return found;
}

/** The counts and failing tests in what `pnpm -r test` prints: vitest's lines behind the names of their packages. */
export function readReport(output: string): Pick<SuiteResult, 'passed' | 'failed' | 'failures'> {
  const lines = stripVTControlCharacters(output).split('\n');
  const totals = lines.filter((line) => /\bTests {2,}\d/.test(line));
  const sum = (word: string): number =>
    totals.reduce((total, line) => total + Number(new RegExp(`(\\d+) ${word}`).exec(line)?.[1] ?? 0), 0);
  const failures = lines.flatMap((line) => {
    const [, folder = '', test = ''] = /^(\S+) test: +FAIL +(.*)$/.exec(line) ?? [];
    return test === '' ? [] : [`${folder} ${test}`];
  });
  return { passed: sum('passed'), failed: sum('failed'), failures: [...new Set(failures)] };
}

/** Runs a command line in a process group of its own, so that it can be ended as a whole. */
async function runShell(
  command: string,
  { cwd, log, signal }: { cwd: string; log: string; signal: AbortSignal },
): Promise<number | null> {
  signal.throwIfAborted();
  const child = spawn('sh', ['-c', command], { cwd, env: newcomersEnvironment(), detached: true });
  const file = createWriteStream(log);
  child.stdout.pipe(file, { end: false });
  child.stderr.pipe(file, { end: false });
  const end = (): void => endGroup(child);
  signal.addEventListener('abort', end, { once: true });
  try {
    const [code] = await once(child, 'close');
    signal.throwIfAborted();
    return code;
  } finally {
    signal.removeEventListener('abort', end);
    end();
    file.end();
    await once(file, 'close');
  }
}

/** The environment without what pnpm has put into it for this command: a newcomer's shell has none of that. */
function newcomersEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|pnpm_|INIT_CWD$|NODE_PATH$|NODE$)/i.test(name));
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  return { ...Object.fromEntries(own), PATH: path.join(delimiter) };
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // The whole group has ended already.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
