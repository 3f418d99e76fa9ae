import { expect, test } from 'vitest';
import { Consumer, readBooks } from '../support/books.ts';
import { book, outcomeOf, receiveBatch, settleByHand } from '../support/case.ts';
import { readTable } from '../support/read-back.ts';
import { startWorld } from '../support/world.ts';

const at = (instant: string): number => Date.parse(`2026-11-${instant}Z`);

test('case 18: accepted at 23:59:59.900, settled at 00:00:03, redelivered at 00:05: the day of acceptance each time', async () => {
  const world = await startWorld({ ada: { dailyLimit: 10 } });
  world.clock.set(at('29T23:59:59.900'));
  const booking = await book(world, 'ada', 'late', [10, 1]);
  expect(booking.window).toMatchObject({ date: '2026-11-29', resetsAt: '2026-11-30T00:00:00.000Z' });

  const event = await receiveBatch(world);
  const consumer = new Consumer();
  for (const deliveredAt of ['30T00:00:03.000', '30T00:05:00.000', '30T00:10:00.000']) {
    world.clock.set(at(deliveredAt));
    expect(await settleByHand(world, event)).toEqual([]);
    await consumer.drain(world.clients, world.queues, world.clock());
    const { usage } = (await readTable(world.clients)).accounts.get('ada') ?? {};
    expect([...(usage?.keys() ?? [])]).toEqual(['2026-11-29']);
    expect(usage?.get('2026-11-29')).toMatchObject({ used: 10, rejected: 1 });
    expect(outcomeOf(await readBooks(world.clients, consumer), booking).date).toBe('2026-11-29');
  }
  for (const { detailType, detail } of consumer.events.values()) {
    expect(detailType === 'Quota Usage Recorded' ? detail.data.window : booking.window).toEqual(booking.window);
  }
});
