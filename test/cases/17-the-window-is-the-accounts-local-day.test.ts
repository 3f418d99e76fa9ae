import { Quota } from '@usher/contracts';
import { expect, test } from 'vitest';
import { finish } from '../support/books.ts';
import { book, reasonsOf, settleAll } from '../support/case.ts';
import { startWorld } from '../support/world.ts';

test.each([
  {
    zone: 'Asia/Shanghai',
    before: '2026-11-29T15:30:00.000Z',
    resetsAt: '2026-11-29T16:00:00.000Z',
    next: '2026-11-30T16:00:00.000Z',
  },
  {
    zone: 'America/New_York',
    before: '2026-11-01T03:30:00.000Z',
    resetsAt: '2026-11-01T04:00:00.000Z',
    next: '2026-11-02T05:00:00.000Z',
  },
  {
    zone: 'Asia/Kathmandu',
    before: '2026-11-29T17:45:00.000Z',
    resetsAt: '2026-11-29T18:15:00.000Z',
    next: '2026-11-30T18:15:00.000Z',
  },
])('case 17: half an hour before and after midnight in $zone are two windows, which name the zone', async (given) => {
  const world = await startWorld({ ada: { dailyLimit: 10, timezone: given.zone } });
  world.clock.set(Date.parse(given.before));
  const late = await book(world, 'ada', 'late', [10, 1]);
  await settleAll(world);
  const quota = Quota.assert(await (await world.intake().get('ada', '/v1/quota')).json());
  expect(quota).toMatchObject({ remaining: 0, window: { timezone: given.zone, resetsAt: given.resetsAt } });

  world.clock.advance(3_600_000);
  const early = await book(world, 'ada', 'early', [10, 1]);
  await settleAll(world);
  expect(late.window).toMatchObject({ timezone: given.zone, resetsAt: given.resetsAt });
  expect(early.window).toMatchObject({ timezone: given.zone, startsAt: given.resetsAt, resetsAt: given.next });
  const books = await finish(world);
  const each = [null, 'daily_quota_exceeded'];
  expect([reasonsOf(books, late), reasonsOf(books, early)]).toEqual([each, each]);
});
