import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { simulate } from './run-seeds.ts';

// Each test starts processes of its own, so that the simulation has a whole Node to itself, as the command has.
const minuteMs = 60_000;

const regressions = JSON.parse(readFileSync(join(import.meta.dirname, 'regressions.json'), 'utf8')) as {
  seed: number;
  found: string;
}[];

test.each(regressions)('seed $seed, which once found that $found, holds every promise', async ({ seed }) => {
  expect((await simulate(['--seed', String(seed)])).failures).toEqual([]);
});

test('the same seed gives the same run, event by event', { timeout: minuteMs }, async () => {
  const [first, second] = await Promise.all([simulate(['--seeds', '1..10']), simulate(['--seeds', '1..10'])]);
  expect(new Set(first.hashes).size).toBe(10);
  expect(second.hashes).toEqual(first.hashes);
});

// CI plays a thousand more, and the deliberate breaks: `pnpm sim --seeds 1..1000` and `pnpm sim --breaks`.
test('50 seeds hold every promise and try most faults at most steps', { timeout: 3 * minuteMs }, async () => {
  const report = await simulate(['--seeds', '1..50', '--jobs', '2']);
  expect(report.failures).toEqual([]);
  expect(report.seeds).toBe(50);
  expect(Object.keys(report.coverage.pairs).length).toBeGreaterThan(100);
});

test('a deliberate break of the code is caught by the promise that it breaks', { timeout: minuteMs }, async () => {
  const { failures } = await simulate(['--seeds', '1..5', '--break', 'repeat-in-batch-counts']);
  expect(failures.map(({ violations }) => violations[0])).toContainEqual(expect.stringContaining('promise 7'));
});
