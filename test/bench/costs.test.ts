import { startDynalite } from '@usher/loopback/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newClient } from './client.ts';
import { missedCostBounds } from './costs.ts';
import { hopCost } from './flow-costs.ts';
import { settleCases, settleCost } from './settle-costs.ts';
import { toCostTable } from './table.ts';
import { createTables } from './tables.ts';

let server: Awaited<ReturnType<typeof startDynalite>>;

beforeAll(async () => {
  server = await startDynalite();
  const admin = newClient(server.endpoint);
  await createTables(admin);
  admin.destroy();
});
afterAll(() => server.close());

test.each(settleCases)('settling $name keeps its bounds of calls and units', async (of) => {
  const cost = await settleCost(server.endpoint, of);
  expect(missedCostBounds(cost)).toEqual([]);
  expect(cost.writeUnits).toBeGreaterThan(10);
});

test('a hop of a pacing message keeps its bounds', async () => {
  expect(missedCostBounds(await hopCost(server.endpoint))).toEqual([]);
});

test('costs are a table with each bound beside its figure', () => {
  const cost = { name: 'a list', per: 'one answer', calls: 3, readUnits: 26, writeUnits: 0, bounds: { readUnits: 25 } };
  expect(toCostTable([cost]).split('\n').at(-1)).toMatch(
    /^\| a list \| one answer \| +3\.0 \| +26\.0 \(25\) \| +0\.0 \|$/,
  );
});

test('a bound that is missed is named', () => {
  const cost = { name: 'a list', per: 'one answer', calls: 3, readUnits: 26, writeUnits: 0, bounds: { readUnits: 25 } };
  expect(missedCostBounds(cost)).toEqual(['a list took 26.0 read units for one answer; at most 25 is asked.']);
  expect(missedCostBounds({ ...cost, readUnits: 25 })).toEqual([]);
});
