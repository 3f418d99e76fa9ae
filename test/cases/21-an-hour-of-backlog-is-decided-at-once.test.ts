import { expect, test } from 'vitest';
import { Consumer, expectBalance, expectNothingSetAside, readBooks } from '../support/books.ts';
import { book, settleAll } from '../support/case.ts';
import { startWorld } from '../support/world.ts';

test('case 21: an hour of backlog is decided at once; each message is received once, and the hand-off takes the hour', async () => {
  const world = await startWorld({ ada: { dailyLimit: 10_000, refillPerSecond: 1, burst: 10 } });
  const booking = { accountId: 'ada', key: 'hour', costs: new Array<number>(360).fill(10) };
  const { bookingId } = await book(world, booking.accountId, booking.key, booking.costs);
  const startMs = world.clock();
  await settleAll(world);

  const worker = world.worker();
  const consumer = new Consumer();
  const received: string[] = [];
  for (let minute = 0; minute <= 60; minute++) {
    for (let delivery = await worker.pace(); delivery !== 'crashed'; delivery = await worker.pace()) {
      if (delivery.received.length === 0) break;
      expect(delivery.handedBack).toEqual([]);
      received.push(...delivery.received);
    }
    await consumer.drain(world.clients, world.queues, world.clock());
    world.clock.advance(60_000);
  }
  const books = await readBooks(world.clients, consumer);
  expectBalance(books, [{ ...booking, bookingId }], { ada: 10_000 });
  expect([...books.ledger.values()].every(({ outcome }) => outcome.settledAtMs === startMs)).toBe(true);
  expect(new Set(received).size).toBe(received.length);
  expect(Math.max(...books.times.values())).toBe(1);
  await expectNothingSetAside(world);

  const dueSeconds = [...books.dispatches.values()].map(({ dispatchAt }) => (Date.parse(dispatchAt) - startMs) / 1000);
  expect(dueSeconds.toSorted((a, b) => a - b)).toEqual(booking.costs.map((cost, row) => cost * row));
});
