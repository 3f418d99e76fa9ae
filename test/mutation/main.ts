import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
// This folder is no package of the workspace: what it runs on has a lockfile of its own.
import { Argument, newCommand, readCommandLine, runCommand } from '../../packages/cli/src/index.ts';

/** `pnpm mutate [limiter-core] [worker] [--force]`: exit 0 where each package's score is at least the threshold. */
const folders = { 'limiter-core': 'packages/limiter-core', worker: 'services/worker' };
const packageNames = ['limiter-core', 'worker'] as const;

await runCommand({ name: 'mutate' }, main);

async function main(args: readonly string[]): Promise<number> {
  const command = newCommand(
    'mutate',
    'Breaks the code in many small ways; exit code 1 where the tests notice too few.',
  )
    .usage('[package …] [options]')
    .addArgument(new Argument('[packages...]', 'whose code (default: all)').choices(packageNames))
    .option('--force', 'tries every mutant again, also where neither its code nor its tests have changed');
  const { args: names } = readCommandLine(command, args);
  const { force } = command.opts();
  const root = new URL('../../', import.meta.url);
  const strykerFolder = dirname(createRequire(import.meta.url).resolve('@stryker-mutator/core/package.json'));
  const passed = packageNames
    .filter((name) => names.length === 0 || names.includes(name))
    .map((name) => {
      const config = fileURLToPath(new URL(`./stryker.${name}.config.ts`, import.meta.url));
      if (force) rmSync(new URL(`.stryker/${name}`, root), { recursive: true, force: true });
      const { status } = spawnSync(process.execPath, [join(strykerFolder, 'bin/stryker.js'), 'run', config], {
        cwd: fileURLToPath(new URL(folders[name], root)),
        stdio: 'inherit',
      });
      return status === 0;
    });
  return passed.every(Boolean) ? 0 : 1;
}
