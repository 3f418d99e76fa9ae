import { expect, test } from 'vitest';
import { code, linesMatching, read, source, tests } from './support/tracked-files.ts';

// The parts of the product, and what each may know.

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

test('stores stay in their folders: the rest of limiter-core knows neither the AWS SDK nor a host', () => {
  const core = 'packages/limiter-core/src/';
  const outside = source.filter((file) => file.startsWith(core) && !/\/(dynamodb|redis|examples)\//.test(file));
  expect(outside.length).toBeGreaterThan(15);
  expect(linesMatching(outside, /@aws-sdk|from '[./]+\/(dynamodb|redis)\/|from 'node:/)).toEqual([]);
  const rules = ['account', 'ledger', 'outcome', 'policy', 'settle', 'token-bucket', 'window'];
  expect(
    linesMatching(
      rules.map((name) => `${core}bulk/${name}.ts`),
      /systemClock|arktype/,
    ),
  ).toEqual([]);
});

test('every store keeps the contract of its port', () => {
  const ports = ['AccountStore', 'LedgerReader', 'EventFacts', 'Days', 'Runs', 'ReportFiles'];
  const stores = source.flatMap((file) =>
    [...read(file).matchAll(/class (\w+)[^{]* implements (\w+)/g)]
      .filter(([, , port = '']) => ports.includes(port))
      .map(([, name = '', port = '']) => `${port.replace(/^./, (first) => first.toLowerCase())}Contract('${name}'`),
  );
  expect(stores.length).toBeGreaterThanOrEqual(3);
  const held = tests.map(read).join('\n');
  expect(stores.filter((call) => !held.includes(call))).toEqual([]);
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
    'services/report': ['contracts', 'limiter-core', 'service'],
    'packages/local-stack': ['cli', 'contracts', 'intake', 'limiter-core', 'loopback', 'report', 'service', 'worker'],
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
    'examples/consumer/src/handler.ts',
    // Is there to be copied, so it knows nothing of the workspace.
    'examples/consumer/src/table-in-memory.ts',
    'infra/lib/verify/aws-deployment.ts',
    'packages/limiter-core/src/bulk/examples/settle-dynamodb.ts',
    'packages/limiter-core/src/dynamodb/dynamodb.ts',
    'packages/limiter-core/src/examples/dynamodb.ts',
    'services/intake/src/handler.ts',
    'services/report/src/clients.ts',
    'services/worker/src/clients.ts',
  ];
  const client = /new (DynamoDB|SQS|EventBridge|S3|CloudFormation|Lambda|[A-Z]\w*Client)\(/;
  const aws = code.filter((file) => /from '@aws-sdk\/client-/.test(read(file)) && client.test(read(file)));
  const looking = aws.filter((file) => !/\blocalClientConfig\(/.test(read(file)));
  expect(looking.sort()).toEqual(talksToAws);
});

test('only one place makes tables, and waits until they can be used', () => {
  const making = linesMatching(code, /\bCreateTableCommand\(|\.createTable\(/).map((at) => at.split(':')[0]);
  expect(making).toEqual([
    // Is there to be copied, so it knows nothing of the workspace.
    'examples/consumer/src/table-in-memory.ts',
    // It looks at the answer alone, and uses no table.
    'packages/limiter-core/src/dynamodb/options.test.ts',
    'packages/loopback/src/create-table.ts',
  ]);
});

test('development tokens are parsed in local-stack only', () => {
  const parsing = linesMatching(source, /Bearer dev:/).filter((at) => !at.startsWith('packages/local-stack/'));
  expect(parsing).toEqual([]);
});
