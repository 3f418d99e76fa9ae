import type { Cost } from './costs.ts';
import { hopCost, readCosts } from './flow-costs.ts';
import { settleCases, settleCost } from './settle-costs.ts';

/** Measures the cost of each kind of work, one after another. */
export async function measureCosts(endpoint: string): Promise<Cost[]> {
  const costs: Cost[] = [];
  for (const of of settleCases) costs.push(await settleCost(endpoint, of));
  return [...costs, ...(await readCosts(endpoint)), await hopCost(endpoint)];
}
