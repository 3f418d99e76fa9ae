import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tableDefinition } from '@usher/limiter-core/bulk/dynamodb';
import { type Dynalite, startDynalite } from '@usher/loopback/testing';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { manifest, specifierOf, subpaths } from './limiter-core.ts';
import { readmeExamples } from './readme-examples.ts';

// What the README shows is run as its reader would: in a project that has the tarball and the peers.

const run = promisify(execFile);
const project = inject('project');
const examples = readmeExamples(project);

test('the README has examples', () => {
  expect(examples.length).toBeGreaterThanOrEqual(3);
});

describe.each(['oldest', 'newest'] as const)('with the %s Node', (age) => {
  let dynalite: Dynalite;
  beforeAll(async () => {
    dynalite = await startDynalite({ tableName: 'usher', ...tableDefinition });
  });
  afterAll(() => dynalite.close());

  test('that is what it says it is', async () => {
    const { stdout } = await run(project.nodes[age], ['--version']);
    const [, oldestMajor = ''] = /^>=(\d+)/.exec(manifest.engines.node) ?? [];
    expect(stdout).toMatch(age === 'oldest' ? `v${oldestMajor}.` : 'v24.');
  });

  test.each(examples)('example $name prints what the README says', async ({ name, source, prints }) => {
    // The oldest Node reads no types; the newest takes the file as it is shown.
    const [ending, program] = age === 'oldest' ? ['js', stripTypeScriptTypes(source)] : ['ts', source];
    const file = join(project.folder, `${name}.${ending}`);
    await writeFile(file, program);
    const { stdout } = await run(project.nodes[age], [file], {
      cwd: project.folder,
      env: {
        AWS_ENDPOINT_URL_DYNAMODB: dynalite.endpoint,
        AWS_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: 'local',
        AWS_SECRET_ACCESS_KEY: 'local',
        // Examples for Redis find their server here.
        ...(process.env.REDIS_URL && { REDIS_URL: process.env.REDIS_URL }),
      },
    });
    expect(stdout).toBe(prints);
  });
});

test.each([
  ['nodenext', { module: 'nodenext', moduleResolution: 'nodenext' }],
  ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
])('examples and entries have sound types under the resolution "%s"', async (name, resolution) => {
  const files = [
    ...examples.map((example) => [`${example.name}.ts`, example.source] as const),
    ['entries.ts', subpaths.map((at) => `export * from '${specifierOf(at)}';`).join('\n')] as const,
  ];
  for (const [file, text] of files) await writeFile(join(project.folder, file), text);
  const config = join(project.folder, `tsconfig.${name}.json`);
  const compilerOptions = {
    ...resolution,
    target: 'es2023',
    lib: ['es2023'],
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
  };
  await writeFile(config, JSON.stringify({ compilerOptions, files: files.map(([file]) => file) }));
  const tsc = join(project.folder, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '-p', config], { cwd: project.folder }).catch((error) => error);
  expect(stdout).toBe('');
});
