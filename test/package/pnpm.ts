import { spawnSync } from 'node:child_process';

/** Runs pnpm in a folder, quietly: all that it has said is in the error where it fails. */
export function pnpm(folder: string, ...args: readonly string[]): void {
  const { status, stdout, stderr, error } = spawnSync('pnpm', args, { cwd: folder, encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`pnpm ${args.join(' ')} failed:\n${stdout}${stderr}`);
}
