import type { UsherEvent } from '@usher/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AccountReport, DayReport } from '../model/report.ts';
import { date, noon, TestReport } from '../testing/test-report.ts';

const hourMs = 3_600_000;
const afterAll = '2026-12-02T00:15:00.000Z';
const zones = ['Europe/Berlin', 'America/New_York', 'all'] as const;

/** A day of three accounts. One of them has moved from Berlin to New York. */
async function madeDay(): Promise<{ world: TestReport; events: UsherEvent[] }> {
  const world = new TestReport();
  await world.closeAt('2026-11-29T12:30:00.000Z');
  const refused = [[[2, null]], [[7, 'exceeds_limit']], [[9, 'daily_quota_exceeded']]] as const;
  const events = [
    ...(await world.book({ accountId: 'berlin', timezone: 'Europe/Berlin', chunks: refused })),
    ...(await world.book({ accountId: 'moved', timezone: 'Europe/Berlin', chunks: [[[3, null]], [[4, null]]] })),
    ...(await world.book({ accountId: 'moved', key: 'key-2', timezone: 'America/New_York' })),
    ...(await world.book({ accountId: 'west', timezone: 'America/New_York' })),
  ];
  return { world, events };
}

/** All that a report says of accounts but how their events came. */
const saidBy = ({ accounts, state, missing }: DayReport) => ({
  state,
  missing,
  accounts: accounts.map(({ late: _, repeats: __, ...said }: AccountReport) => said),
});

const delivery = fc.record({
  /** Hours after noon: at the last of them every zone has been told, and none is final. */
  atHour: fc.integer({ min: 0, max: 60 }),
  event: fc.nat(),
  replay: fc.option(fc.constantFrom('one', 'two'), { nil: undefined }),
});

test('the next look after the last event says the same of every account, however late, mixed and often its events came', async () => {
  const straight = await madeDay();
  await straight.world.deliver(straight.events);
  await straight.world.closeAt(afterAll);
  const expected = await Promise.all(zones.map(async (zone) => saidBy(await straight.world.report(zone))));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 7, maxLength: 7 }),
      fc.array(delivery),
      async (firsts, more) => {
        const { world, events } = await madeDay();
        const deliveries = [...firsts.map((atHour, event) => ({ atHour, event, replay: undefined })), ...more].toSorted(
          (a, b) => a.atHour - b.atHour,
        );
        for (const { atHour, event, replay } of deliveries) {
          const atMs = Math.max(world.clock(), Date.parse(noon) + atHour * hourMs);
          await world.closeAt(new Date(atMs).toISOString());
          await world.deliver(events.slice(event % events.length).slice(0, 1), replay === undefined ? {} : { replay });
        }
        await world.closeAt(afterAll);
        const said = await Promise.all(zones.map(async (zone) => saidBy(await world.report(zone))));
        expect(said).toEqual(expected);
        for (const zone of zones) expect(await world.runs.corrections(zone)).toEqual([]);
        // A day and zone has one event for each run, each of which supersedes the one before.
        const ids = world.publishedIds().filter((id) => id.startsWith(date));
        expect(new Set(ids).size).toBe(ids.length);
      },
    ),
    { numRuns: 20 },
  );
});
