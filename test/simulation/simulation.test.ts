import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { breaks } from './breaks.ts';
import { simulate, simulationOutput } from './run-seeds.ts';

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
  const [first, second] = await Promise.all([simulate(['--seeds', '1..25']), simulate(['--seeds', '1..25'])]);
  expect(new Set(first.hashes).size).toBe(25);
  expect(second.hashes).toEqual(first.hashes);
});

test('500 seeds hold every promise and try nearly every fault at every step', { timeout: 5 * minuteMs }, async () => {
  const report = await simulate(['--seeds', '1..500', '--jobs', '2']);
  expect(report.failures).toEqual([]);
  expect(report.seeds).toBe(500);
  expect(Object.keys(report.coverage.pairs).length).toBeGreaterThan(170);
});

test('every deliberate break of the code is caught by the promise that it breaks', {
  timeout: 5 * minuteMs,
}, async () => {
  const found = JSON.parse(await simulationOutput(['--breaks'])) as { name: string; promise?: number }[];
  const missed = breaks.filter(({ name, promises }) => {
    const promise = found.find((one) => one.name === name)?.promise;
    return !promises.some((expected) => expected === promise);
  });
  expect(missed.map(({ name }) => name)).toEqual([]);
});
