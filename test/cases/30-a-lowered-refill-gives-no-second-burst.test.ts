import { expect, test } from 'vitest';
import { finish } from '../support/books.ts';
import { book, settleAll } from '../support/case.ts';
import { startWorld } from '../support/world.ts';

test.each([
  { from: 100, to: 1, firstSeconds: 1 },
  { from: 1, to: 100, firstSeconds: 0.01 },
])(
  'case 30: refill changed from $from to $to with an empty bucket: it stays empty',
  async ({ from, to, firstSeconds }) => {
    const policy = (refillPerSecond: number) => ({ ada: { dailyLimit: 1_000, refillPerSecond, burst: 100 } });
    const world = await startWorld(policy(from));
    await book(world, 'ada', 'burst', new Array<number>(100).fill(1));
    await settleAll(world);
    await world.setPolicies(policy(to));
    const { bookingId } = await book(world, 'ada', 'next', [1, 1, 1]);
    const startMs = world.clock();
    await settleAll(world);

    const books = await finish(world);
    const due = [...books.dispatches.values()].filter((dispatch) => dispatch.bookingId === bookingId);
    const rows = due.flatMap(({ dispatchAt, reservations }) =>
      reservations.map(() => Date.parse(dispatchAt) - startMs),
    );
    // Nothing is left of the burst: each row waits for one unit of the new refill, and none goes out at once.
    expect(rows).toHaveLength(3);
    expect(Math.max(...rows)).toBeGreaterThanOrEqual(3 * firstSeconds * 1000);
    expect(Math.max(...rows)).toBeLessThanOrEqual(3 * firstSeconds * 1000 + 1);
  },
);
