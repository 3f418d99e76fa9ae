import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type } from 'arktype';
import { expect, test } from 'vitest';
import { files, read, root, tests } from './support/tracked-files.ts';

const docs = files.filter((file) => file.endsWith('.md'));

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

const promisesIn = (file: string): string[] => {
  const [list = ''] = /^1\. \*\*Never over the limit\.\*\*.*?\n\n/ms.exec(read(file)) ?? [];
  return list.split(/\n(?=\d\. )/).map((promise) => promise.replaceAll(/\s+/g, ' ').trim());
};

test('the README promises what the architecture does, to the letter', () => {
  expect(promisesIn('docs/architecture.md')).toHaveLength(7);
  expect(promisesIn('README.md')).toEqual(promisesIn('docs/architecture.md'));
});

test('promise 6 has the same words wherever it is promised', () => {
  const words = ['README.md', 'docs/architecture.md', 'docs/contracts.md'].map((file) =>
    /over any interval of L seconds[^.]*\./i.exec(read(file).replaceAll(/\s+/g, ' '))?.[0].toLowerCase(),
  );
  expect(words[0]).toContain('at the highest burst and refill that any row due in it was settled under');
  expect(new Set(words).size).toBe(1);
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
