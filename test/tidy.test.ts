import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type } from 'arktype';
import { expect, test } from 'vitest';

/** House rules that no linter knows, checked on every file that git tracks or would. */
const root = join(import.meta.dirname, '..');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const code = files.filter((file) => /\.(ts|mts)$/.test(file));
const tests = code.filter((file) => /\.(test|contract|conformance)\.ts$/.test(file));
const source = code.filter((file) => !tests.includes(file) && !file.startsWith('test/') && !file.includes('/testing/'));
const docs = files.filter((file) => file.endsWith('.md'));

/** `file:line` of every line of these files that matches. */
function linesMatching(among: readonly string[], pattern: RegExp): string[] {
  return among.flatMap((file) =>
    read(file)
      .split('\n')
      .flatMap((line, i) => (pattern.test(line) ? [`${file}:${i + 1}`] : [])),
  );
}

test('the time is asked for in one file', () => {
  // Measuring how long a module takes to load is what this script is for.
  const timed = source.filter((file) => file !== 'infra/bin/cold-start.ts');
  const asking = linesMatching(timed, /\bDate\.now\(\)|\bnew Date\(\)|performance\.now\(/);
  expect([...new Set(asking.map((at) => at.split(':')[0]))]).toEqual(['packages/limiter-core/src/clock.ts']);
});

test('randomness is asked for in one file', () => {
  const asking = linesMatching(source, /\bMath\.random\b/).map((at) => at.split(':')[0]);
  expect([...new Set(asking)]).toEqual(['packages/limiter-core/src/backoff.ts']);
});

test('no test is focused, skipped or left to do', () => {
  expect(linesMatching(tests, /\b(it|test|describe|suite)\.(only|skip|todo)\b|\bx(it|describe|test)\(/)).toEqual([]);
});

test('what a test waits for is bounded by tries, and no time-out is short', () => {
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
  expect(apart).toEqual([]);
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

test('what knows DynamoDB is in its folder: the rest of limiter-core knows neither the AWS SDK nor a host', () => {
  const core = 'packages/limiter-core/src/';
  const outside = source.filter(
    (file) => file.startsWith(core) && !file.startsWith(`${core}dynamodb/`) && !file.startsWith(`${core}examples/`),
  );
  expect(outside.length).toBeGreaterThan(15);
  expect(linesMatching(outside, /@aws-sdk|from '\.\.?\/dynamodb\/|from 'node:/)).toEqual([]);
  const rules = ['account', 'ledger', 'outcome', 'policy', 'settle', 'token-bucket', 'window'];
  expect(
    linesMatching(
      rules.map((name) => `${core}${name}.ts`),
      /systemClock|arktype/,
    ),
  ).toEqual([]);
});

test('arrows between packages point one way', () => {
  const allowed: Record<string, readonly string[]> = {
    'packages/loopback': [],
    'packages/limiter-core': [],
    'packages/contracts': ['limiter-core'],
    'packages/service': ['contracts', 'limiter-core'],
    'packages/cli': [],
    'packages/sqs-batch': ['limiter-core'],
    'services/intake': ['contracts', 'limiter-core', 'service', 'sqs-batch'],
    'services/worker': ['contracts', 'limiter-core', 'service', 'sqs-batch'],
    'packages/local-stack': ['cli', 'contracts', 'intake', 'limiter-core', 'loopback', 'service', 'worker'],
  };
  const wrong = Object.entries(allowed).flatMap(([folder, targets]) =>
    source
      .filter((file) => file.startsWith(`${folder}/`))
      .flatMap((file) =>
        [...read(file).matchAll(/from '@usher\/([a-z-]+)/g)]
          .filter(([, target = '']) => !targets.includes(target))
          .map(([, target]) => `${file} → ${target}`),
      ),
  );
  expect(wrong).toEqual([]);
});

test('only what talks to AWS has clients that look at the environment and the files in ~/.aws', () => {
  const talksToAws = [
    'infra/lib/verify/aws-deployment.ts',
    'packages/limiter-core/src/examples/settle-dynamodb.ts',
    'services/intake/src/handler.ts',
    'services/worker/src/clients.ts',
  ];
  const client = /new (DynamoDB|SQS|EventBridge|S3|CloudFormation|Lambda|[A-Z]\w*Client)\(/;
  const aws = code.filter((file) => /from '@aws-sdk\/client-/.test(read(file)) && client.test(read(file)));
  const looking = aws.filter((file) => !/\blocalClientConfig\(/.test(read(file)));
  expect(looking.sort()).toEqual(talksToAws);
});

test('only one place makes tables, and waits until they can be used', () => {
  const making = linesMatching(code, /\bCreateTableCommand\(|\.createTable\(/).map((at) => at.split(':')[0]);
  expect(making).toEqual(['packages/loopback/src/create-table.ts']);
});

test('development tokens are parsed in local-stack only', () => {
  const parsing = linesMatching(source, /Bearer dev:/).filter((at) => !at.startsWith('packages/local-stack/'));
  expect(parsing).toEqual([]);
});

test('every local link in the documents leads somewhere', () => {
  const dead = docs.flatMap((file) =>
    [...read(file).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
      .filter(([, target = '']) => !existsSync(join(root, dirname(file), target)))
      .map(([, target]) => `${file} → ${target}`),
  );
  expect(dead).toEqual([]);
});

test('each case of the table has its test, and each test its case', () => {
  const rows = [...read('test/cases/README.md').matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number));
  const tested = tests
    .filter((file) => file.startsWith('test/cases/'))
    .map((file) => Number(file.slice('test/cases/'.length).split('-')[0]));
  expect(rows).toEqual(rows.map((_, i) => i + 1));
  expect([...new Set(tested)].sort((a, b) => a - b)).toEqual(rows);
});

test('a failing package stops no other: pnpm neither bails nor sorts', () => {
  expect(read('pnpm-workspace.yaml').split('\n')).toEqual(expect.arrayContaining(['bail: false', 'sort: false']));
});

test('ADRs are numbered without gaps and have their three parts', () => {
  const adrs = files.filter((file) => /^docs\/adr\/\d{4}-.*\.md$/.test(file)).sort();
  expect(adrs.map((file) => Number(file.slice(9, 13)))).toEqual(adrs.map((_, i) => i + 1));
  const incomplete = adrs.filter((file) =>
    ['## Context', '## Decision', '## Consequences'].some((part) => !read(file).includes(part)),
  );
  expect(incomplete).toEqual([]);
});

test('the commands that the README and CONTRIBUTING name exist', () => {
  const { scripts } = type('string.json.parse')
    .to({ scripts: { '[string]': 'string' } })
    .assert(read('package.json'));
  const builtIn = ['install', '-r', '--filter', 'exec'];
  const unknown = ['README.md', 'CONTRIBUTING.md'].flatMap((file) =>
    [...read(file).matchAll(/\bpnpm(?:@12)? ([a-z:-]+)/g)]
      .map(([, command = '']) => command)
      .filter((command) => !builtIn.includes(command) && !Object.hasOwn(scripts, command))
      .map((command) => `${file}: pnpm ${command}`),
  );
  expect(unknown).toEqual([]);
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
