import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** `pnpm mutate [limiter-core] [worker] [--force]`: exit 0 where each package's score is at least the threshold. */
const folders = { 'limiter-core': 'packages/limiter-core', worker: 'services/worker' };
const packageNames = ['limiter-core', 'worker'] as const;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  // Without it, a mutant is tried again only where its code or its tests have changed since the last run.
  options: { force: { type: 'boolean', default: false } },
});
const unknown = positionals.filter((name) => !Object.hasOwn(folders, name));
if (unknown.length > 0) {
  console.error(`Usage: pnpm mutate [limiter-core] [worker] [--force], not ${unknown.join(' ')}`);
  process.exit(2);
}

const root = new URL('../../', import.meta.url);
const strykerFolder = dirname(createRequire(import.meta.url).resolve('@stryker-mutator/core/package.json'));
const passed = packageNames
  .filter((name) => positionals.length === 0 || positionals.includes(name))
  .map((name) => {
    const config = fileURLToPath(new URL(`./stryker.${name}.config.ts`, import.meta.url));
    if (values.force) rmSync(new URL(`.stryker/${name}`, root), { recursive: true, force: true });
    const { status } = spawnSync(process.execPath, [join(strykerFolder, 'bin/stryker.js'), 'run', config], {
      cwd: fileURLToPath(new URL(folders[name], root)),
      stdio: 'inherit',
    });
    return status === 0;
  });
process.exitCode = passed.every(Boolean) ? 0 : 1;
