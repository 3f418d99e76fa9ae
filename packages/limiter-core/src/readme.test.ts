import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DynaliteTable, startDynaliteTable } from './bulk/dynamodb/testing/dynalite-table.ts';

const run = promisify(execFile);
const examples = [
  new URL('./bulk/examples/limit.ts', import.meta.url),
  new URL('./bulk/examples/settle.ts', import.meta.url),
  new URL('./bulk/examples/settle-dynamodb.ts', import.meta.url),
].map((url) => ({
  name: basename(url.pathname),
  path: fileURLToPath(url),
  // The one difference: from outside, the package goes by its name.
  source: readFileSync(url, 'utf8')
    .replace("'../index.ts'", "'@usher/limiter-core/bulk'")
    .replace("'../dynamodb/index.ts'", "'@usher/limiter-core/bulk/dynamodb'"),
}));
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

let table: DynaliteTable;
beforeAll(async () => {
  table = await startDynaliteTable();
});
afterAll(() => table.close());

test.each(examples)('the README shows $name as it is, and what it prints', async ({ path, source }) => {
  const { stdout } = await run(process.execPath, [path], {
    env: {
      AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
    },
  });
  expect(readme).toContain(`\`\`\`ts\n${source}\`\`\`\n\nIt prints:\n\n\`\`\`text\n${stdout}\`\`\`\n`);
});

test('the README shows no code that is not run, but for how to import the contract', () => {
  const shown = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);
  expect(shown.filter((code) => !examples.some(({ source }) => source === code))).toEqual([
    expect.stringContaining("from '@usher/limiter-core/bulk/contract'"),
  ]);
});
