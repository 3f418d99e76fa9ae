import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);

/** Imports a module in a process of its own, and tells the packages that it loads. */
async function packagesOf(module: string): Promise<string[]> {
  const url = new URL(module, import.meta.url).href;
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    await import(${JSON.stringify(url)});
    console.log(JSON.stringify(loaded));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script]);
  const names = [...stdout.matchAll(/\/node_modules\/((?:@[^/"]+\/)?[^/"]+)\/(?!node_modules)[^"]*"/g)].map(
    ([url]) =>
      url
        .split('/node_modules/')
        .at(-1)
        ?.match(/^(@[^/]+\/)?[^/]+/)?.[0] ?? '',
  );
  return [...new Set(names)].sort();
}

test('the main entry loads no package at all', async () => {
  expect(await packagesOf('./index.ts')).toEqual([]);
});

test('the entry for bulks loads no AWS SDK', async () => {
  const packages = await packagesOf('./bulk/index.ts');
  expect(packages).toContain('arktype');
  expect(packages.filter((name) => /^@(aws-sdk|smithy)\//.test(name))).toEqual([]);
});

test('its DynamoDB entry does', async () => {
  expect(await packagesOf('./bulk/dynamodb/index.ts')).toContain('@aws-sdk/lib-dynamodb');
});

test('the rules load nothing at all', async () => {
  expect(await packagesOf('./bulk/settle.ts')).toEqual([]);
});
