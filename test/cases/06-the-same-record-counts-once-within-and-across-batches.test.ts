import { expect, test } from 'vitest';
import { Consumer, readBooks } from '../support/books.ts';
import { book, outcomeOf, receiveBatch, settleByHand } from '../support/case.ts';
import { startWorld } from '../support/world.ts';

test('case 6: the same record twice in one batch and again in the next is counted once, with equal outcomes', async () => {
  const world = await startWorld({ ada: { dailyLimit: 10 } });
  const booking = await book(world, 'ada', 'twice', [6, 5, 4]);
  const { Records } = await receiveBatch(world);
  const consumer = new Consumer();
  const outcomes = [];
  for (const batch of [[...Records, ...Records], Records]) {
    expect(await settleByHand(world, { Records: batch })).toEqual([]);
    await consumer.drain(world.clients, world.queues, world.clock());
    const books = await readBooks(world.clients, consumer);
    expect(books.counters.get('ada')).toEqual({ used: 10, rejected: 5 });
    outcomes.push(outcomeOf(books, booking));
    // Later, and under another policy, the outcome is still the first.
    world.clock.advance(60_000);
    await world.setPolicies({ ada: { dailyLimit: 100 } });
  }
  expect(outcomes[1]).toEqual(outcomes[0]);
  expect(outcomes[0]?.reasons).toEqual([null, 'daily_quota_exceeded', null]);
});
