import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { code, files, linesMatching, read, root, source, tests } from './support/tracked-files.ts';

// House rules of the code that no linter knows. Boundaries between its parts, and documents, have files of their own.

test('no test is focused, skipped or left to do', () => {
  expect(linesMatching(tests, /\b(it|test|describe|suite)\.(only|skip|todo)\b|\bx(it|describe|test)\(/)).toEqual([]);
});

test('a test waits for a number of tries at most, and no time-out is short', () => {
  expect(linesMatching(tests, /\bvi\.wait(For|Until)\(/)).toEqual([]);
  const short = tests.flatMap((file) =>
    [...read(file).matchAll(/\btimeout: ([\d_]+)/g)]
      .filter(([, ms = '']) => Number(ms.replaceAll('_', '')) < 60_000)
      .map(([found]) => `${file}: ${found}`),
  );
  expect(short).toEqual([]);
});

test('the tests of every package run under the same time-outs', () => {
  const configs = files.filter((file) => file.endsWith('package.json') && /"test": "vitest run"/.test(read(file)));
  const apart = configs
    .map((file) => join(dirname(file), 'vitest.config.ts'))
    .filter((config) => !existsSync(join(root, config)) || !/\bbase\b.*vitest\.base\.ts/.test(read(config)));
  expect(configs.length).toBeGreaterThan(5);
  // The consumer is there to be copied, so it knows nothing of the workspace.
  expect(apart).toEqual(['examples/consumer/vitest.config.ts']);
});

test('nothing is left over: no TODO, no escape from the type checker or the linter', () => {
  const self = 'test/tidy.test.ts';
  const leftovers = /\b(TODO|FIXME|XXX|HACK)\b|@ts-(ignore|expect-error|nocheck)|biome-ignore/;
  expect(
    linesMatching(
      code.filter((file) => file !== self),
      leftovers,
    ),
  ).toEqual([]);
});

test('a failing package stops no other: pnpm neither bails nor sorts', () => {
  expect(read('pnpm-workspace.yaml').split('\n')).toEqual(expect.arrayContaining(['bail: false', 'sort: false']));
});

test('no source file tells more than one story: at most 300 lines', () => {
  const long = source.filter((file) => read(file).split('\n').length > 300);
  expect(long).toEqual([]);
});

test('nothing committed names a home folder or a workplace', () => {
  expect(
    linesMatching(
      files.filter((file) => !file.endsWith('pnpm-lock.yaml')),
      /\/(home|root|Users)\/[a-z]/,
    ),
  ).toEqual([]);
});

test('every file that mutation testing names exists', () => {
  const configs = files.filter((file) => /^test\/mutation\/stryker\..*\.config\.ts$/.test(file));
  const named = configs.flatMap((config) => {
    const [, packageName = ''] = /optionsFor\('([^']+)'/.exec(read(config)) ?? [];
    const folder = packageName === 'worker' ? 'services/worker' : `packages/${packageName}`;
    return [...read(config).matchAll(/^ {2}'([^']+)',$/gm)].map(([, name]) => `${folder}/src/${name}.ts`);
  });
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((file) => !source.includes(file))).toEqual([]);
});

test('parsed JSON is read by a shape, never asserted to have one', () => {
  const asserted = /JSON\.parse\([^;]*\)\s*as\s|\.json\(\)\)*\s*as\s/;
  expect(code.filter((file) => asserted.test(read(file)))).toEqual([]);
});

test('a doc comment begins with the thing, not with a question word', () => {
  const clause = /\/\*\*\s+(\*\s+)?(What|Whether|How|Which|When|Where|Why|Who)\b/;
  expect(code.filter((file) => clause.test(read(file)))).toEqual([]);
});
