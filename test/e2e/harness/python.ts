import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChildProcesses } from './child-processes.ts';

const cache = join(import.meta.dirname, '../.venv');
const requirements = join(import.meta.dirname, 'requirements.txt');

/** True where this machine has a Python that can make virtual environments. */
export function hasPython(): boolean {
  return spawnSync('python3', ['-c', 'import venv, ensurepip']).status === 0;
}

/**
 * Makes a virtual environment with exactly what requirements.txt pins, each file checked by its hash; or takes the one
 * that an earlier run made from the same pins. It lies in a folder that git ignores.
 *
 * @returns its Python
 */
export async function preparePython(processes: ChildProcesses, log: string): Promise<string> {
  const python = spawnSync('python3', ['--version'], { encoding: 'utf8' }).stdout.trim();
  const key = createHash('sha256')
    .update(python)
    .update(await readFile(requirements))
    .digest('hex')
    .slice(0, 16);
  const folder = join(cache, key);
  if (!existsSync(folder)) await install(folder, processes, log);
  return join(folder, 'bin/python');
}

async function install(folder: string, processes: ChildProcesses, log: string): Promise<void> {
  // It gets its name when it is complete, so that a run that was broken off leaves nothing that looks like one. (A
  // moved environment has wrong paths in its scripts; none of them is used, only its Python.)
  const draft = `${folder}.${process.pid}.draft`;
  await mkdir(cache, { recursive: true });
  const run = (file: string, ...args: string[]) => processes.run({ file, args, env: process.env, log });
  try {
    await run('python3', '-m', 'venv', draft);
    const pip = ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--only-binary', ':all:'];
    await run(join(draft, 'bin/python'), ...pip, '--require-hashes', '--requirement', requirements);
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
