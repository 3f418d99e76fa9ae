import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type } from 'arktype';
import { expect, inject, test } from 'vitest';
import { manifest, packageName, specifierOf, subpaths } from './limiter-core.ts';

const run = promisify(execFile);
const project = inject('projects').newest;

/**
 * The packages and modules of Node that each published entry asks for. Whoever takes one entry pays for these, and for
 * no other; the main entry runs where there is no Node.
 */
const importsOf: Record<string, readonly string[]> = {
  '.': [],
  './bulk': ['arktype', 'temporal-polyfill'],
  './bulk/contract': ['vitest'],
  './bulk/dynamodb': ['@aws-sdk/client-dynamodb', '@aws-sdk/lib-dynamodb', 'arktype', 'node:zlib'],
  './conformance': ['vitest'],
  './dynamodb': ['@aws-sdk/client-dynamodb', 'node:crypto'],
  './express': [],
  './hono': [],
  './lambda': [],
  './middy': [],
  './redis': ['node:crypto'],
};

/** Imports an entry in a process of its own, and tells what its own files import from elsewhere. */
const script = `
  import { registerHooks } from 'node:module';
  const asked = new Set();
  registerHooks({
    resolve(specifier, context, next) {
      const isOwn = context.parentURL?.includes('/node_modules/${packageName}/') ?? false;
      if (isOwn && !specifier.startsWith('.')) asked.add(specifier);
      return next(specifier, context);
    },
  });
  await import(process.argv[2]);
  console.log(JSON.stringify([...asked].sort()));
`;
const Names = type('string.json.parse').to('string[]');

test('the published subpaths are these', () => {
  expect(subpaths).toEqual(Object.keys(importsOf));
});

test('a subpath that is there in development is published, but for the forms of stored items', () => {
  const unpublished = Object.keys(manifest.exports).filter((subpath) => !subpaths.includes(subpath));
  expect(unpublished).toEqual(['./bulk/dynamodb/items']);
});

test.each(Object.entries(importsOf))('the entry %s imports %j', async (subpath, imports) => {
  const file = join(project.folder, 'asked.mjs');
  await writeFile(file, script);
  const { stdout } = await run(project.node, [file, specifierOf(subpath)], { cwd: project.folder });
  expect(Names.assert(stdout)).toEqual(imports);
});

test('a package that an entry imports is a dependency or an optional peer', () => {
  const { dependencies, peerDependencies, peerDependenciesMeta } = manifest;
  const asked = new Set(
    Object.values(importsOf)
      .flat()
      .filter((name) => !name.startsWith('node:')),
  );
  expect([...Object.keys(dependencies), ...Object.keys(peerDependencies)].sort()).toEqual([...asked].sort());
  expect(peerDependenciesMeta).toEqual(
    Object.fromEntries(Object.keys(peerDependencies).map((name) => [name, { optional: true }])),
  );
});
