import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { build } from 'esbuild';
import { publint } from 'publint';
import { expect, inject, test } from 'vitest';
import { packageName } from './limiter-core.ts';

// The package as a registry would hand it out.

const tarball = inject('tarball');
const project = inject('projects').newest;
const installed = join(project.folder, 'node_modules', packageName);

const data = await readFile(tarball);
const packed = createPackageFromTarballData(data);
const files = packed.listFiles().map((file) => file.slice(`/node_modules/${packageName}/`.length));

test('it has the built entries, their types, a README and a licence, and nothing that is there for the tree', () => {
  const others = files.filter((file) => !/^dist\/[a-z/-]+(\.d\.ts|\.js)$/.test(file));
  expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
  expect(files.filter((file) => /test|example/.test(file))).toEqual([]);
});

test('nothing in it names a file or a package of the tree', async () => {
  const code = files.filter((file) => file.endsWith('.js'));
  const texts = await Promise.all(code.map((file) => readFile(join(installed, file), 'utf8')));
  expect(texts.length).toBeGreaterThan(0);
  expect(texts.filter((text) => /from ['"](@usher\/|[^'"]+\.ts['"])|workspace:|catalog:/.test(text))).toEqual([]);
});

test('publint has nothing to say', async () => {
  const { messages } = await publint({ pack: { tarball: Uint8Array.from(data).buffer }, strict: true });
  expect(messages).toEqual([]);
});

test('are-the-types-wrong finds nothing wrong for those who import ES modules', async () => {
  const { problems } = { problems: [], ...(await checkPackage(packed)) };
  // Node 10 and `require` are no ways to a package of ES modules: the tool's own profile "esm-only" leaves them out too.
  const left = ['node10', 'node16-cjs'];
  expect(problems.filter((problem) => !('resolutionKind' in problem && left.includes(problem.resolutionKind)))).toEqual(
    [],
  );
});

/** The most that the main entry may weigh where a bundler has made one minified file of it: gzipped bytes. */
const mostBytes = 10_000;

test('the main entry is small', async () => {
  const { outputFiles } = await build({
    stdin: { contents: `export * from '${packageName}';`, resolveDir: project.folder },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    write: false,
  });
  const bytes = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
  expect(
    bytes,
    `The main entry is ${bytes} bytes, minified and gzipped; it may have ${mostBytes}.`,
  ).toBeLessThanOrEqual(mostBytes);
});
