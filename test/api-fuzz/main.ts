import { rmSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@usher/limiter-core';
import { createStackLog, startStack } from '@usher/local-stack';
import { ChildProcesses, CommandFailedError } from '../e2e/harness/child-processes.ts';
import { hasPython, preparePython } from '../e2e/harness/python.ts';

/**
 * Lets Schemathesis try the started stack by the API's own description: no answer may be a server error or one that is
 * not described, no request that the description allows refused, none that it forbids accepted. Ends with 1 where one
 * is.
 */
const folder = await mkdtemp(join(tmpdir(), 'usher-api-fuzz-'));
const processes = new ChildProcesses();
const takeDown = (): void => {
  processes.killAll();
  rmSync(folder, { recursive: true, force: true });
};
process.once('exit', takeDown);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

if (hasPython()) process.exitCode = (await isClean()) ? 0 : 1;
else if (process.env.CI)
  throw new Error('The API is tried by a tool that needs python3 with the modules venv and ensurepip.');
else console.warn('Skipped: this needs python3 with the modules venv and ensurepip.');
await rm(folder, { recursive: true, force: true });

async function isClean(): Promise<boolean> {
  const python = await preparePython(processes, join(folder, 'venv.log'));
  const errors: string[] = [];
  const log = createStackLog((line) => errors.push(line));
  const stack = await startStack({
    dataDir: join(folder, 'data'),
    port: 0,
    policies: undefined,
    clock: systemClock,
    log,
  });
  // It runs in the folder that goes: what it leaves behind must not lie in the tree.
  for (const name of ['schemathesis.toml', 'hooks.py'])
    await copyFile(join(import.meta.dirname, name), join(folder, name));
  const output = join(folder, 'schemathesis.log');
  try {
    const args = ['-m', 'schemathesis.cli', '--config-file', 'schemathesis.toml', '--no-color', 'run'];
    const checked = [...args, '--checks', 'all', `${stack.url}/openapi.json`];
    // A Python with a home of its own: nothing of the developer's settings is read.
    const env = { PATH: process.env.PATH, HOME: folder, PYTHONUTF8: '1', PYTHONDONTWRITEBYTECODE: '1' };
    await processes.run({ file: python, args: checked, cwd: folder, env, log: output });
    return errors.length === 0;
  } catch (error) {
    if (!(error instanceof CommandFailedError)) throw error;
    return false;
  } finally {
    console.log(await readFile(output, 'utf8'));
    for (const line of errors) console.log(`The stack logged: ${line}`);
    await stack.close();
  }
}
