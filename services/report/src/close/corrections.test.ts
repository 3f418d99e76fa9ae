import { describe, expect, test } from 'vitest';
import type { ReportPorts } from '../ports.ts';
import { MemoryRuns } from '../store/memory-runs.ts';
import { date, due, TestReport } from '../testing/test-report.ts';

const chunks = [[[3, null]], [[4, null]], [[5, null]]] as const;
/** The day is final, and those after it up to the third. */
const final = '2026-12-04T12:15:00.000Z';

/** A final day of which the events of two chunks were lost. */
async function finalDay() {
  const world = new TestReport();
  await world.closeAt('2026-11-29T12:30:00.000Z');
  const events = await world.book({ chunks });
  await world.deliver(events.slice(0, 1));
  for (const at of [due, '2026-12-01T00:15:00.000Z', '2026-12-02T00:15:00.000Z', final]) await world.closeAt(at);
  await world.closeAt('2026-12-04T12:30:00.000Z');
  expect(await world.report()).toMatchObject({ state: 'final', accounts: [{ grantedCost: 3, used: 12 }] });
  return { world, events };
}

async function correctionsOn(world: TestReport, of: string): Promise<[before: number, after: number][]> {
  const { corrections } = await world.report('UTC', of);
  return corrections.map(({ before, after }) => [before.grantedCost, after.grantedCost]);
}

test.each([
  ['the final report', 'the day', /^2026-11-29\/UTC\/run-\d+\/report\.json$/, '2026-12-04T12:45:00.000Z'],
  [
    'a file of corrections',
    'the report that carries it',
    /^2026-11-29\/UTC\/corrections-1-/,
    '2026-12-05T00:15:00.000Z',
  ],
])('where %s is gone, %s fails until it is back, and nothing is lost', async (_, __, gone, failsAt) => {
  const { world, events } = await finalDay();
  await world.deliver(events.slice(1));
  if (failsAt > '2026-12-05') await world.closeAt('2026-12-04T12:45:00.000Z');
  const [file = ['', '']] = [...world.files.texts].filter(([path]) => gone.test(path)).slice(-1);
  world.files.texts.delete(file[0]);
  await expect(world.closeAt(failsAt)).rejects.toThrow('could not be closed');
  expect(JSON.stringify(world.logged)).toContain(`${file[0]} must be there`);
  world.files.texts.set(...file);
  for (const at of ['2026-12-05T00:30:00.000Z', '2026-12-06T00:15:00.000Z']) await world.closeAt(at);
  const carried = [await correctionsOn(world, '2026-12-04'), await correctionsOn(world, '2026-12-05')];
  expect(carried.flat()).toEqual([[3, 12]]);
});

test('a correction of what a correction told begins where that ended, in a report of its own', async () => {
  const { world, events } = await finalDay();
  await world.deliver(events.slice(1, 2));
  await world.closeAt('2026-12-05T00:15:00.000Z');
  await world.deliver(events.slice(2));
  await world.closeAt('2026-12-06T00:15:00.000Z');
  await world.closeAt('2026-12-07T00:15:00.000Z');
  expect(await correctionsOn(world, '2026-12-05')).toEqual([[3, 7]]);
  expect(await correctionsOn(world, '2026-12-06')).toEqual([[7, 12]]);
  await world.closeAt('2026-12-12T00:15:00.000Z');
  for (const [of, expected] of [
    ['2026-12-05', [[3, 7]]],
    ['2026-12-06', [[7, 12]]],
    ['2026-12-07', []],
  ] as const) {
    expect((await world.report('UTC', of)).state).toBe('final');
    expect(await correctionsOn(world, of)).toEqual(expected);
  }
});

describe('a correction of a day in New York', () => {
  const newYork = 'America/New_York';

  /** The events of two chunks come when their day is final; the account does not book again. */
  async function corrected(move: (world: TestReport) => void): Promise<TestReport> {
    const world = new TestReport();
    world.days.setPolicy('acme', { timezone: newYork });
    await world.closeAt('2026-11-29T12:30:00.000Z');
    const events = await world.book({ chunks, timezone: newYork });
    await world.deliver(events.slice(0, 1));
    for (const day of ['11-30', '12-01', '12-02', '12-03']) await world.closeAt(`2026-${day}T12:15:00.000Z`);
    move(world);
    await world.closeAt(final);
    await world.closeAt('2026-12-04T12:30:00.000Z');
    await world.deliver(events.slice(1));
    for (const day of ['12-05', '12-06', '12-07']) await world.closeAt(`2026-${day}T12:15:00.000Z`);
    return world;
  }

  const carriedIn = async (world: TestReport, timezone: string): Promise<number[]> => {
    const costs: number[] = [];
    for (const of of ['2026-12-04', '2026-12-05', '2026-12-06']) {
      const { corrections } = await world.report(timezone, of);
      costs.push(...corrections.map(({ before, after }) => after.grantedCost - before.grantedCost));
    }
    return costs;
  };

  test("is in a report of New York and in that of all zones, on the account's days without use", async () => {
    const world = await corrected(() => undefined);
    expect(await carriedIn(world, newYork)).toEqual([9]);
    expect(await carriedIn(world, 'all')).toEqual([9]);
  });

  test('is in the report of all zones and in the month alone, where no account is left in New York', async () => {
    const world = await corrected(({ days }) => days.setPolicy('acme', { timezone: 'UTC' }));
    for (const of of ['2026-12-04', '2026-12-05', '2026-12-06']) {
      expect((await world.runs.ofDate(of)).map(({ timezone }) => timezone).sort()).toEqual(['UTC', 'all']);
    }
    expect(await carriedIn(world, 'UTC')).toEqual([]);
    expect(await carriedIn(world, 'all')).toEqual([9]);
    for (const day of ['01-04', '01-05']) await world.closeAt(`2027-${day}T12:15:00.000Z`);
    const [columns = '', row = ''] = (world.files.texts.get('months/2026-12/billing-2026-12.csv') ?? '').split('\r\n');
    const at = (column: string) => row.split(',')[columns.split(',').indexOf(column)];
    expect([at('account_id'), at('corrections'), at('corrected_granted_cost')]).toEqual(['acme', '1', '9']);
  });
});

test('of two closers at once that find the same late fact, one makes the correction, and one day carries it', async () => {
  const { world, events } = await finalDay();
  await world.deliver(events.slice(1));
  world.clock.advance(60_000);
  const { files, runs } = world;
  const stopped = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const slow: Partial<ReportPorts> = {
    files: {
      read: (path) => files.read(path),
      put: async (path, file) => {
        if (path.startsWith(date)) {
          stopped.resolve();
          await goOn.promise;
        }
        return files.put(path, file);
      },
    },
  };
  world.restart(slow);
  const first = world.closeAt('2026-12-04T12:45:00.000Z');
  await stopped.promise;
  world.restart();
  await world.closeAt('2026-12-04T12:45:00.000Z');
  await world.closeAt('2026-12-05T00:15:00.000Z');
  goOn.resolve();
  await first;
  await world.closeAt('2026-12-06T00:15:00.000Z');
  expect(await correctionsOn(world, '2026-12-04')).toEqual([[3, 12]]);
  expect(await correctionsOn(world, '2026-12-05')).toEqual([]);
  expect((await runs.corrections('UTC')).map(({ number, carriedBy }) => [number, carriedBy])).toEqual([
    [1, '2026-12-04'],
  ]);
});

test('a closer that dies when it has taken a correction leaves it to the same day', async () => {
  const { world, events } = await finalDay();
  await world.deliver(events.slice(1));
  await world.closeAt('2026-12-04T12:45:00.000Z');
  const { runs } = world.ports();
  class DyingRuns extends MemoryRuns {
    override read = runs.read.bind(runs);
    override ofDate = runs.ofDate.bind(runs);
    override write = runs.write.bind(runs);
    override progress = runs.progress.bind(runs);
    override setProgress = runs.setProgress.bind(runs);
    override corrections = runs.corrections.bind(runs);
    override carryCorrection = async (...of: Parameters<typeof runs.carryCorrection>) => {
      await runs.carryCorrection(...of);
      throw new Error('killed');
    };
  }
  world.restart({ runs: new DyingRuns() });
  await expect(world.closeAt('2026-12-05T00:15:00.000Z')).rejects.toThrow('could not be closed');
  world.restart();
  await world.closeAt('2026-12-05T00:30:00.000Z');
  await world.closeAt('2026-12-06T00:15:00.000Z');
  expect(await correctionsOn(world, '2026-12-04')).toEqual([[3, 12]]);
  expect(await correctionsOn(world, '2026-12-05')).toEqual([]);
});
