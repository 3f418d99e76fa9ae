import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tableDefinition } from '@usher/limiter-core/bulk/dynamodb';
import { type Dynalite, startDynalite } from '@usher/loopback/testing';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ages } from './fresh-project.ts';
import { manifest, specifierOf, subpaths } from './limiter-core.ts';
import { readmeExamples } from './readme-examples.ts';

// What the README shows is run as its reader would: in a project that has the tarball and the peers.

const run = promisify(execFile);
const examples = readmeExamples(inject('projects').newest);

/** A store of the project's own, which is one of ours, held to its contract. */
const contractTest = `
  import { MemoryAccountStore } from '@usher/limiter-core/bulk';
  import { accountStoreContract } from '@usher/limiter-core/bulk/contract';

  accountStoreContract('MemoryAccountStore', async () => {
    const store = new MemoryAccountStore();
    return { store, setOverrides: async (accountId, overrides) => store.setOverrides(accountId, overrides) };
  });
`;

test('the README has examples', () => {
  expect(examples.length).toBeGreaterThanOrEqual(3);
});

describe.each(ages)('in a project with the %s of everything', (age) => {
  const project = inject('projects')[age];
  let dynalite: Dynalite;
  beforeAll(async () => {
    dynalite = await startDynalite({ tableName: 'usher', ...tableDefinition });
  });
  afterAll(() => dynalite.close());

  test('Node is that', async () => {
    const { stdout } = await run(project.node, ['--version']);
    const [, oldestMajor = ''] = /^>=(\d+)/.exec(manifest.engines.node) ?? [];
    expect(stdout).toMatch(age === 'oldest' ? `v${oldestMajor}.` : process.version);
  });

  test.each(examples)('example $name prints what the README says', async ({ name, source, prints }) => {
    // The oldest Node reads no types; the newest takes the file as it is shown.
    const [ending, program] = age === 'oldest' ? ['js', stripTypeScriptTypes(source)] : ['ts', source];
    const file = join(project.folder, `${name}.${ending}`);
    await writeFile(file, program);
    const { stdout } = await run(project.node, [file], {
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

  test('a store can be held to its contract', async () => {
    await writeFile(join(project.folder, 'contract.test.ts'), contractTest);
    const vitest = join(project.folder, 'node_modules/vitest/vitest.mjs');
    const options = { cwd: project.folder, env: { CI: 'true', NO_COLOR: '1' } };
    const { stdout } = await run(project.node, [vitest, 'run'], options);
    expect(stdout).toMatch(/ Tests +\d+ passed /);
  });

  test.each([
    { module: 'nodenext', moduleResolution: 'nodenext' },
    { module: 'esnext', moduleResolution: 'bundler' },
  ])('types of examples and entries are sound under resolution $moduleResolution', async (resolution) => {
    const files = [
      ...examples.map(({ name, source }) => ({ file: `${name}.ts`, text: source })),
      {
        file: 'entries.ts',
        text: subpaths.map((at, i) => `export * as entry${i} from '${specifierOf(at)}';`).join('\n'),
      },
    ];
    for (const { file, text } of files) await writeFile(join(project.folder, file), text);
    const compilerOptions = {
      ...resolution,
      target: 'es2022',
      lib: ['es2022'],
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
    };
    const config = join(project.folder, `tsconfig.${resolution.moduleResolution}.json`);
    await writeFile(config, JSON.stringify({ compilerOptions, files: files.map(({ file }) => file) }));
    const tsc = join(project.folder, 'node_modules/typescript/bin/tsc');
    // The compiler writes what it finds to its output, and then fails.
    const { stdout } = await run(process.execPath, [tsc, '-p', config]).catch((error: unknown) => Object(error));
    expect(stdout).toBe('');
  });
});
