import { expect, test } from 'vitest';
import { MemoryEventFacts } from '../store/memory-event-facts.ts';
import { due, TestReport } from '../testing/test-report.ts';

test('the order in which accounts are read is not told: a look that finds nothing new makes no new run', async () => {
  const world = new TestReport();
  let slow = 'acme';
  class SlowFacts extends MemoryEventFacts {
    override async usage(accountId: string, of: string) {
      for (let turns = accountId === slow ? 50 : 0; turns > 0; turns--) await Promise.resolve();
      return super.usage(accountId, of);
    }
  }
  world.restart({ facts: new SlowFacts() });
  const events = [
    ...(await world.book({ accountId: 'acme', chunks: [[[4, 'exceeds_limit']]] })),
    ...(await world.book({ accountId: 'beta', chunks: [[[4, 'daily_quota_exceeded']]] })),
  ];
  await world.deliver(events);
  await world.closeAt(due);
  await world.deliver(events, { replay: 'one' });
  slow = 'beta';
  expect(await world.closeAt('2026-11-30T12:00:00.000Z')).toEqual([]);
});

test.each(['{"schemaVersion":2}', '{'])('a report of the week before that reads %s holds up no other', async (text) => {
  const world = new TestReport();
  await world.deliver(await world.book());
  for (const at of [due, '2026-12-04T12:00:00.000Z']) await world.closeAt(at);
  for (const path of world.files.texts.keys()) if (path.endsWith('report.json')) world.files.texts.set(path, text);
  await world.closeAt('2026-12-07T00:15:00.000Z');
  expect((await world.report('UTC', '2026-12-06')).totals).toMatchObject({ accounts: 1, weekBefore: null });
  expect(world.logged).toContainEqual(
    expect.objectContaining({ level: 'warn', message: expect.stringContaining('of the week before cannot be read') }),
  );
});

test('the same weekday before is the one of the same zone, and none where that had no report', async () => {
  const world = new TestReport();
  await world.deliver(await world.book({ timezone: 'Europe/Berlin' }));
  await world.closeAt('2026-11-29T23:15:00.000Z');
  world.days.setPolicy('acme', { timezone: 'Asia/Tokyo' });
  await world.closeAt('2026-12-06T15:15:00.000Z');
  expect((await world.report('Asia/Tokyo', '2026-12-06')).accounts).toMatchObject([{ weekBefore: null }]);
  const { totals } = await world.report('all', '2026-12-06');
  expect(totals.weekBefore).toMatchObject({ used: 3, bookings: 1 });
});
