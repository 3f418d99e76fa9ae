import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiReport, reportApi, reportFolder, reportName } from './api-report.ts';
import { subpaths } from './limiter-core.ts';

let folder: string;
const reports = new Map<string, ApiReport>();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usher-api-'));
  for (const subpath of subpaths) reports.set(subpath, reportApi(subpath, 'compare', folder));
});
afterAll(() => rm(folder, { recursive: true }));

test.each(subpaths)('the public API of %s is what its report says', (subpath) => {
  const hint =
    `The public API of ${subpath} differs from packages/limiter-core/api/${reportName(subpath)}. ` +
    'If that is meant, run `npx -y pnpm@12 api-report` and commit what it writes.';
  expect(reports.get(subpath)?.isChanged, hint).toBe(false);
});

test('a type that the public API names is exported by one of the entries', () => {
  const texts = subpaths.map((subpath) => readFileSync(join(reportFolder, reportName(subpath)), 'utf8')).join('');
  const exported = new Set([...texts.matchAll(/^export (?:abstract )?\w+ (\w+)/gm)].map(([, name]) => name));
  expect(exported.size).toBeGreaterThan(0);
  const forgotten = [...reports].flatMap(([subpath, report]) => report.forgotten.map((name) => ({ subpath, name })));
  expect(forgotten.filter(({ name }) => !exported.has(name))).toEqual([]);
});

test('there is a report for each entry, and no other', () => {
  expect(readdirSync(reportFolder).sort()).toEqual(subpaths.map(reportName).sort());
});
