import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { type Age, makeProject, type Project } from './fresh-project.ts';
import { packageFolder } from './limiter-core.ts';
import { pnpm } from './pnpm.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    readonly projects: Record<Age, Project>;
    readonly tarball: string;
  }
}

/** Builds the package, packs it and installs it in fresh projects outside the tree, once for all tests. */
export function setup({ provide }: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'usher-package-'));
  const clean = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const tarball = pack(folder);
    provide('tarball', tarball);
    provide('projects', {
      oldest: makeProject('oldest', join(folder, 'oldest'), tarball),
      newest: makeProject('newest', join(folder, 'newest'), tarball),
    });
  } catch (error) {
    clean();
    throw error;
  }
  return clean;
}

function pack(folder: string): string {
  pnpm(packageFolder, 'pack', '--pack-destination', folder);
  const [tarball, ...others] = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  if (tarball === undefined || others.length > 0) throw new Error('pnpm pack was to make one tarball.');
  return join(folder, tarball);
}
