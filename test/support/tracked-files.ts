import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/** Every file that git tracks or would, by its path from the root. */
export const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)));

export const code = files.filter((file) => /\.(ts|mts)$/.test(file));
export const tests = code.filter((file) => /\.(test|contract|conformance)\.ts$/.test(file));
/** Code that is neither a test nor there for tests. */
export const source = code.filter(
  (file) => !tests.includes(file) && !file.startsWith('test/') && !file.includes('/testing/'),
);

export function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** `file:line` of every line of these files that matches. */
export function linesMatching(among: readonly string[], pattern: RegExp): string[] {
  return among.flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line, i) => (pattern.test(line) ? [`${file}:${i + 1}`] : [])),
  );
}
