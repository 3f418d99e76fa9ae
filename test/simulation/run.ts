import { createHash } from 'node:crypto';
import { startConsumers } from './consumers.ts';
import type { Coverage } from './faults.ts';
import type { Violation } from './history.ts';
import { startOperators } from './operator.ts';
import { actPartner, IntakeFleet } from './partner.ts';
import { Prng } from './prng.ts';
import { checkPromises } from './promises.ts';
import { checkReports } from './report-check.ts';
import { NoRestError } from './scheduler.ts';
import { checkStatuses } from './statuses.ts';
import { drawScenario, type Limits } from './themes.ts';
import { World } from './world.ts';

/** The result of one seed. */
export interface RunResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly trace: readonly string[];
  /** The hash of everything that happened; equal seeds give equal hashes. */
  readonly traceHash: string;
  readonly events: number;
}

/** Plays one seed until nothing is left to happen. */
export async function play(world: World): Promise<IntakeFleet> {
  startOperators(world);
  startConsumers(world);
  const fleet = new IntakeFleet(world);
  for (const plan of world.scenario.bookings) void actPartner(world, fleet, plan);
  await world.scheduler.run();
  return fleet;
}

/** Plays one seed, then checks every promise. */
export async function runSeed(seed: number, coverage: Coverage, limits?: Limits): Promise<RunResult> {
  const prng = new Prng(seed);
  const world = new World(prng, drawScenario(prng, limits), coverage);
  const { scheduler, history } = world;
  try {
    const fleet = await play(world);
    checkPromises(world);
    await checkReports(world);
    await checkStatuses(world, fleet);
  } catch (error) {
    if (!(error instanceof NoRestError)) throw error;
    world.violate(3, `${error.message}, with ${world.waiting()}`);
  } finally {
    world.end();
  }
  return {
    seed,
    violations: history.violations,
    trace: world.trace,
    traceHash: createHash('sha256').update(world.trace.join('\n')).digest('hex').slice(0, 16),
    events: scheduler.events,
  };
}
