import { BookingList, Problem } from '@usher/contracts';
import { expect, test } from 'vitest';
import { book, settleAll } from '../support/case.ts';
import { startWorld } from '../support/world.ts';

test('case 59: ?limit=1&status=decided gives one decided booking a page, until there is none', async () => {
  const world = await startWorld();
  const decided: string[] = [];
  for (const key of ['a', 'b']) {
    decided.unshift((await book(world, 'ada', key, [1, 2000])).bookingId);
    world.clock.advance(1000);
  }
  await settleAll(world);
  for (const key of ['c', 'd']) await book(world, 'ada', key, [1]);

  const seen: string[] = [];
  let cursor = '';
  do {
    const answer = await world.intake().get('ada', `/v1/bookings?limit=1&status=decided${cursor}`);
    const { bookings, nextCursor } = BookingList.assert(await answer.json());
    expect(bookings.length).toBeLessThanOrEqual(1);
    for (const { bookingId, ...booking } of bookings) {
      expect(booking).toMatchObject({ total: 2, status: 'decided', granted: 1, rejected: 1 });
      seen.push(bookingId);
    }
    cursor = nextCursor === undefined ? '' : `&cursor=${nextCursor}`;
  } while (cursor !== '');
  expect(seen).toEqual(decided);
});

test.each(['limit=0', 'limit=101', 'limit=one', 'status=done', 'status='])(
  'case 59: ?%s is refused by its name',
  async (query) => {
    const world = await startWorld();
    const answer = await world.intake().get('ada', `/v1/bookings?${query}`);
    expect(answer.status).toBe(400);
    const { type, detail } = Problem.assert(await answer.json());
    expect([type, detail.startsWith(query.replace(/=.*/, ' must be '))]).toEqual(['/problems/invalid-query', true]);
  },
);
