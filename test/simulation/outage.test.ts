import { workQueue } from '@usher/contracts';
import { describe, expect, test } from 'vitest';
import { Coverage, type FaultKind } from './faults.ts';
import { Prng } from './prng.ts';
import { checkPromises } from './promises.ts';
import { play } from './run.ts';
import { type BookingPlan, drawFreely, type Scenario } from './scenario.ts';
import type { Step } from './steps.ts';
import { dayMs, hourMs, minuteMs } from './times.ts';
import { World } from './world.ts';

/** The calls that fail where a service that the worker needs is away. */
const outages: Record<string, readonly Step[]> = {
  'the table': ['worker: read accounts', 'worker: read ledger', 'worker: write account', 'worker: record'],
  EventBridge: ['worker: publish', 'pacer: publish'],
  'the dispatch queue': ['worker: dispatch', 'pacer: dispatch'],
};

/** Bookings before and during the outage; the rows of each are due over more than two hours, and so go by pacing too. */
function bookingsAround(startMs: number): BookingPlan[] {
  const plans = [
    { accountId: 'acme', afterMs: -hourMs },
    { accountId: 'acme', afterMs: minuteMs },
    { accountId: 'b', afterMs: 23 * hourMs },
  ];
  return plans.map(({ accountId, afterMs }, i) => ({
    accountId,
    key: `key-${i}`,
    mode: 'partial' as const,
    rows: Array.from({ length: 4 }, (_, row) => ({ id: `r${row}`, cost: 900 * (row + 1) })),
    submitAtMs: startMs + afterMs,
    patience: 1000,
    returnsAfterMs: undefined,
    repeats: [],
    isReuse: false,
    questions: 0,
  }));
}

function scenarioOf(
  prng: Prng,
  { steps, kind, maxReceiveCount }: { steps: readonly Step[]; kind: FaultKind; maxReceiveCount: number },
): Scenario {
  const startMs = Date.parse('2026-11-29T06:00:00.000Z');
  const accounts = ['acme', 'b'];
  const overrides = { dailyLimit: 20_000, refillPerSecond: 1, burst: 5 };
  const drawn = drawFreely(prng);
  return {
    ...drawn,
    versions: [drawn.versions[0]],
    startMs: startMs - 3 * hourMs,
    accounts,
    bookings: bookingsAround(startMs),
    policyChanges: accounts.map((accountId) => ({ accountId, atMs: startMs - dayMs, overrides })),
    faultSpans: [{ fromMs: startMs, toMs: startMs + dayMs }],
    faults: { rates: new Map(), focuses: steps.map((step) => ({ step, kind, rate: 1 })) },
    visibilityMs: workQueue.visibilityTimeoutSeconds * 1000,
    maxReceiveCount,
    maxSkewMs: 0,
    killsAtDeadline: false,
    twoWorkers: 0,
    repeatInBatch: 0,
    deleteLost: 0,
    recycled: 0.05,
    sentTwice: 0,
    poison: [],
  };
}

/** Plays a day's outage to its end and tells what became of it. */
async function playOutage(of: { steps: readonly Step[]; kind: FaultKind; maxReceiveCount: number }) {
  const prng = new Prng(1);
  const coverage = new Coverage();
  const world = new World(prng, scenarioOf(prng, of), coverage);
  // As Lambda, which leaves a failed message to its visibility timeout.
  for (const queue of [world.bookings, world.pacing]) queue.release = () => undefined;
  try {
    await play(world);
    checkPromises(world);
  } finally {
    world.end();
  }
  return {
    violations: world.history.violations,
    dead: coverage.incidents.get('moved to the dead-letter queue') ?? 0,
    faults: [...coverage.pairs.values()].reduce((sum, count) => sum + count, 0),
  };
}

describe.each(Object.entries(outages))('a day without %s', (_, steps) => {
  test('breaks no promise and dead-letters nothing', async () => {
    const { faults, ...became } = await playOutage({ steps, kind: 'throttled', ...workQueue });
    expect(became).toEqual({ violations: [], dead: 0 });
    expect(faults).toBeGreaterThan(400);
  });

  test('would dead-letter chunks after ten receives', async () => {
    expect((await playOutage({ steps, kind: 'throttled', maxReceiveCount: 10 })).dead).toBeGreaterThan(0);
  });
});
