import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tableDefinition } from '@usher/limiter-core/bulk/dynamodb';
import { type Dynalite, startDynalite } from '@usher/loopback/testing';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ages } from './fresh-project.ts';
import { manifest, specifierOf, subpaths } from './limiter-core.ts';
import { type Example, needsRedis, readmeExamples, runExample } from './readme-examples.ts';

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
    dynalite = await startDynalite(
      { tableName: 'usher', ...tableDefinition },
      { tableName: 'limits', partitionKey: 'pk' },
    );
  });
  afterAll(() => dynalite.close());

  test('Node is that', async () => {
    const { stdout } = await run(project.node, ['--version']);
    const [, oldestMajor = ''] = /^>=(\d+)/.exec(manifest.engines.node) ?? [];
    expect(stdout).toMatch(age === 'oldest' ? `v${oldestMajor}.` : process.version);
  });

  test.each(examples.filter((example) => !needsRedis(example)))(
    'example $name prints what the README says',
    async (example) => {
      const env = {
        AWS_ENDPOINT_URL_DYNAMODB: dynalite.endpoint,
        AWS_REGION: 'us-east-1',
        AWS_ACCESS_KEY_ID: 'local',
        AWS_SECRET_ACCESS_KEY: 'local',
      };
      expect(await runExample(example, { project, age, env })).toBe(example.prints);
    },
  );

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
    const entries = subpaths.map((at, i) => `export * as entry${i} from '${specifierOf(at)}';`).join('\n');
    await writeFile(join(project.folder, 'entries.ts'), entries);
    for (const { name, source } of examples) await writeFile(join(project.folder, `${name}.ts`), source);
    const [own, ofFrameworks] = [false, true].map((is) => examples.filter((example) => usesFramework(example) === is));
    const programs = [
      { files: ['entries.ts', ...(own ?? []).map(({ name }) => `${name}.ts`)], lib: ['es2022'], skipLibCheck: false },
      // The types of frameworks are theirs to check, and some need those of the DOM.
      { files: (ofFrameworks ?? []).map(({ name }) => `${name}.ts`), lib: ['es2022', 'dom'], skipLibCheck: true },
    ];
    for (const [i, { files, lib, skipLibCheck }] of programs.entries()) {
      const compilerOptions = {
        ...resolution,
        target: 'es2022',
        lib,
        types: ['node'],
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck,
        noEmit: true,
      };
      const config = join(project.folder, `tsconfig.${resolution.moduleResolution}.${i}.json`);
      await writeFile(config, JSON.stringify({ compilerOptions, files }));
      const tsc = join(project.folder, 'node_modules/typescript/bin/tsc');
      // The compiler writes what it finds to its output, and then fails.
      const { stdout } = await run(process.execPath, [tsc, '-p', config]).catch((error: unknown) => Object(error));
      expect(stdout).toBe('');
    }
  });
});

function usesFramework({ source }: Example): boolean {
  return /from '(express|hono|redis)'/.test(source);
}
