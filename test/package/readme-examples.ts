import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Age, Project } from './fresh-project.ts';
import { packageName } from './limiter-core.ts';

/** A program that the README shows, and what it says that it prints. */
export interface Example {
  /** The heading that it is under, and its number in the README: its file's name too. */
  readonly name: string;
  readonly source: string;
  readonly prints: string;
}

/** Examples that need a Redis are run in a test file of their own. */
export function needsRedis({ source }: Example): boolean {
  return source.includes('REDIS_URL');
}

/** Runs an example as a file of a project, and answers what it prints. */
export async function runExample(
  { name, source }: Example,
  {
    project,
    age,
    env,
  }: { readonly project: Project; readonly age: Age; readonly env: Readonly<Record<string, string>> },
): Promise<string> {
  // The oldest Node reads no types; the newest takes the file as it is shown.
  const [ending, program] = age === 'oldest' ? ['js', stripTypeScriptTypes(source)] : ['ts', source];
  const file = join(project.folder, `${name}.${ending}`);
  await writeFile(file, program);
  const { stdout } = await promisify(execFile)(project.node, [file], { cwd: project.folder, env });
  return stdout;
}

const heading = /^#+ (.+)$/gm;
const example = /```ts\n(?<source>.*?)```\n\nIt prints:\n\n```text\n(?<prints>.*?)```/gs;

/** Every example of the README that came with the package. */
export function readmeExamples({ folder }: Project): Example[] {
  const readme = readFileSync(join(folder, 'node_modules', packageName, 'README.md'), 'utf8');
  return [...readme.matchAll(example)].map(({ groups, index }, i) => {
    const [, title = ''] = [...readme.slice(0, index).matchAll(heading)].at(-1) ?? [];
    return {
      name: `${i + 1}-${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`,
      source: groups?.source ?? '',
      prints: groups?.prints ?? '',
    };
  });
}
