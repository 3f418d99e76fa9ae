import { afterEach, beforeEach, expect, test } from 'vitest';
import { Coverage } from './faults.ts';
import { forgeableScenario, forgeEvents } from './forgery.ts';
import { Prng } from './prng.ts';
import { checkReports } from './report-check.ts';
import { play } from './run.ts';
import { World } from './world.ts';

let world: World;

beforeEach(async () => {
  world = new World(new Prng(1), forgeableScenario(), new Coverage());
  await play(world);
});

afterEach(() => world.end());

async function violations(): Promise<string[]> {
  await checkReports(world);
  return world.history.violations.map(({ promise, message }) => `${promise} ${message}`);
}

test('the reports of a run that nobody forged tell what was settled', async () => {
  expect(await violations()).toEqual([]);
});

test('a usage event that nobody published is missing in the report', async () => {
  const { events } = world.history;
  const at = events.findIndex(({ detailType }) => detailType === 'Quota Usage Recorded');
  const [gone] = events.splice(at, 1);
  const rest = events.filter(({ detail }) => detail !== gone?.detail);
  events.splice(0, events.length, ...rest);
  expect(await violations()).toEqual([
    expect.stringMatching(/^7 the report of [\d-]+ tells \{.+\} of (.+); it is \{/),
    expect.stringMatching(/^7 the report of [\d-]+ tells drift of/),
  ]);
});

test('a usage event that tells another schema is refused by the consumer', async () => {
  forgeEvents(world.history, 'Quota Usage Recorded', '"mode":"enforce"', '"mode":"enforced"');
  expect(await violations()).toContainEqual(expect.stringContaining("7 the report's consumer cannot store"));
});
