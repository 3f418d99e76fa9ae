import { readdirSync } from 'node:fs';
import { type Dynalite, startDynalite } from '@usher/loopback/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tableDefinition } from './bulk/dynamodb/index.ts';
import { exampleAt, readme, shownAs } from './testing/readme.ts';

const folders = [new URL('./examples/', import.meta.url), new URL('./bulk/examples/', import.meta.url)];
const all = folders.flatMap((folder) => readdirSync(folder).map((file) => exampleAt(new URL(file, folder))));
/** Those that need a Redis have a test file of their own. */
const examples = all.filter(({ source }) => !source.includes('REDIS_URL'));

let dynalite: Dynalite;
beforeAll(async () => {
  dynalite = await startDynalite(
    { tableName: 'usher', ...tableDefinition },
    { tableName: 'limits', partitionKey: 'pk' },
  );
});
afterAll(() => dynalite.close());

test.each(examples)('the README shows $name as it is, and what it prints', async (example) => {
  const shown = await shownAs(example, {
    AWS_ENDPOINT_URL_DYNAMODB: dynalite.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  });
  expect(readme).toContain(shown);
});

test('the README shows no code that is not run, but for how to import the contract', () => {
  const shown = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);
  expect(shown.filter((code) => !all.some(({ source }) => source === code))).toEqual([
    expect.stringContaining("from '@usher/limiter-core/bulk/contract'"),
  ]);
});
