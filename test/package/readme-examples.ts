import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Project } from './fresh-project.ts';
import { packageName } from './limiter-core.ts';

/** A program that the README shows, and what it says that it prints. */
export interface Example {
  /** The heading that it is under, and its number in the README: its file's name too. */
  readonly name: string;
  readonly source: string;
  readonly prints: string;
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
