import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type } from 'arktype';
import { afterEach, expect, test, vi } from 'vitest';
import { badAwsSettings } from '../support/bad-aws-settings.ts';
import { type SeedsReport, simulate } from './run-seeds.ts';

// Each run is a process of its own, so that the simulation has a whole Node to itself, as the command has.

const regressions = type('string.json.parse')
  .to(type({ seed: 'number', found: 'string' }).array())
  .assert(readFileSync(join(import.meta.dirname, 'regressions.json'), 'utf8'));

let played: Promise<SeedsReport> | undefined;

/** Seeds 1 to 40, which several tests look at. */
function firstForty(): Promise<SeedsReport> {
  played ??= simulate(['--seeds', '1..40']);
  return played;
}

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each(regressions)('seed $seed, which once found that $found, holds every promise', async ({ seed }) => {
  expect((await simulate(['--seed', String(seed)])).failures).toEqual([]);
});

// CI plays many more, and the deliberate breaks: `pnpm sim --seeds 1..400` and `pnpm sim --breaks`.
test('40 seeds hold every promise and try many faults at many steps', async () => {
  const report = await firstForty();
  expect(report.failures).toEqual([]);
  expect(report.seeds).toBe(40);
  expect(Object.keys(report.coverage.pairs).length).toBeGreaterThan(60);
});

test('a seed gives the same run, event by event: first or tenth in its process, whatever AWS settings there are', async () => {
  for (const [name, value] of Object.entries(await badAwsSettings())) vi.stubEnv(name, value);
  const fresh = await simulate(['--seeds', '10..14']);
  const { hashes } = await firstForty();
  expect(new Set(hashes).size).toBe(40);
  expect(fresh.hashes).toEqual(hashes.slice(9, 14));
});

test('a deliberate break of the code is caught by the promise that it breaks', async () => {
  const { failures } = await simulate(['--seeds', '1..5', '--break', 'repeat-in-batch-counts']);
  expect(failures.map(({ violations }) => violations[0])).toContainEqual(expect.stringContaining('promise 7'));
});
