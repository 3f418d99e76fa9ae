import { expect, test } from 'vitest';
import { expectBalance, expectNothingSetAside, finish } from '../support/books.ts';
import { book, receiveBatch, settleByHand } from '../support/case.ts';
import { startWorld, visibilityMs } from '../support/world.ts';

test('case 5: with 200 ms left after the fourth of ten messages, 5–10 are returned and each counts once', async () => {
  // A row a second, so that each is a dispatch of its own; those of the first four messages fill one call of ten.
  const world = await startWorld({ ada: { refillPerSecond: 1, burst: 1 } });
  const bookings = [];
  for (const [n, rows] of [3, 3, 2, 2, 1, 1, 1, 1, 1, 1].entries()) {
    const booking = { accountId: 'ada', key: `key-${n}`, costs: new Array<number>(rows).fill(1) };
    bookings.push({ ...booking, ...(await book(world, booking.accountId, booking.key, booking.costs)) });
  }
  const event = await receiveBatch(world);
  const remainingMs = ({ requests }: { requests: readonly string[] }) =>
    requests.includes('SendMessageBatch') ? 200 : 30_000;
  expect(await settleByHand(world, event, { remainingMs })).toEqual([4, 5, 6, 7, 8, 9]);

  // Nothing was deleted: all ten come again.
  world.clock.advance(visibilityMs);
  const books = await finish(world);
  expectBalance(books, bookings);
  expect([...books.dispatches.keys()].map((id) => books.times.get(id))).toEqual([
    ...new Array(10).fill(2),
    ...new Array(6).fill(1),
  ]);
  await expectNothingSetAside(world);
});

test('case 5: with no time at all, every message is returned and nothing is read or written', async () => {
  const world = await startWorld();
  await book(world, 'ada', 'key', [1]);
  const event = await receiveBatch(world);
  const called: string[] = [];
  world.intercept(({ operation }) => {
    called.push(operation);
    return 'pass';
  });
  expect(await settleByHand(world, event, { remainingMs: () => 200 })).toEqual([0]);
  expect(called).toEqual([]);
});
