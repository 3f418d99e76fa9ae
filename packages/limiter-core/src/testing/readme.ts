import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** A program of a folder of examples, as the README shows it. */
export interface Example {
  readonly name: string;
  readonly path: string;
  /** Its text. The one difference: from outside, the package goes by its name. */
  readonly source: string;
}

export function exampleAt(url: URL): Example {
  const isBulk = url.pathname.includes('/bulk/');
  const entry = (path: string): string => {
    const subpath = path.replace(/^\.\.\//, '').replace(/\/?index\.ts$|\.ts$/, '');
    return ['@usher/limiter-core', ...(isBulk ? ['bulk'] : []), ...(subpath === '' ? [] : [subpath])].join('/');
  };
  const source = readFileSync(url, 'utf8').replaceAll(/from '(\.\.\/[^']+)'/g, (_, path) => `from '${entry(path)}'`);
  return { name: basename(url.pathname), path: fileURLToPath(url), source };
}

/** The part of the README that shows an example, and what it prints when it is run now. */
export async function shownAs({ path, source }: Example, env: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [path], { env });
  return `\`\`\`ts\n${source}\`\`\`\n\nIt prints:\n\n\`\`\`text\n${stdout}\`\`\`\n`;
}
