import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type } from 'arktype';

/** The package that these tests pack, install and use. */
export const packageName = '@usher/limiter-core';
export const packageFolder = join(import.meta.dirname, '../../packages/limiter-core');

const Manifest = type('string.json.parse').to({
  exports: { '[string]': 'string' },
  publishConfig: { exports: { '[string]': { types: 'string', default: 'string' } } },
  engines: { node: 'string' },
  dependencies: { '[string]': 'string' },
  peerDependencies: { '[string]': 'string' },
  peerDependenciesMeta: { '[string]': { optional: 'boolean' } },
});

/** The package's own manifest, as it is in the tree. */
export const manifest = Manifest.assert(readFileSync(join(packageFolder, 'package.json'), 'utf8'));

/** Every published subpath, `.` first. */
export const subpaths = Object.keys(manifest.publishConfig.exports);

/** The name by which an import asks for a subpath. */
export function specifierOf(subpath: string): string {
  return `${packageName}${subpath.slice(1)}`;
}
